"""Histories on an InfluxDB server: 1.6 and later (``v1``) and 2.x (``v2``).

The two differ in how a client logs in and what a refusal looks like, and in nothing else:
both take line protocol and answer InfluxQL. docs/history.md describes what is written.
"""
