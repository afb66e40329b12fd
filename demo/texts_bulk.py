def write(personal, work):
    pass
