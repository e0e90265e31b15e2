"""What flows through the pipeline: frozen dataclasses, and their documents.

``spec`` what a person wrote · ``plan`` what will run · ``measurement`` what one
repetition gave · ``run`` all of it for one revision on one host · ``verdict`` what
it means. ``document`` turns them into JSON and back.
"""
