"""What holds for each file: by the command line, by the nearest configuration file, by default."""

from devlint.settings.configuration import Configuration
from devlint.settings.kind import Glob
from devlint.settings.layer import ConfigurationError
from devlint.settings.settings import OutputFormat, Settings

__all__ = [
    "Configuration",
    "ConfigurationError",
    "Glob",
    "OutputFormat",
    "Settings",
]
