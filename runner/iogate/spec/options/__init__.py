"""fio's options in a spec: names, values, what they can reach, and which the engine has."""
