"""`python -m conjoint` is the `conjoint` command."""

from conjoint.cli.app import main

if __name__ == "__main__":
    main()
