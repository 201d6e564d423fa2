"""Draw the pictures anew."""

from __future__ import annotations

from tests.pictures.drawn import pictures


def main() -> None:
    for path, picture in pictures().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
