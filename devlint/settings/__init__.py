"""What holds for each file: by the command line, by the nearest configuration file, by default."""

from devlint.settings.configuration import Configuration
from devlint.settings.kind import Glob
from devlint.settings.layer import ConfigurationError
from devlint.settings.settings import SEVERITIES, OutputFormat, Settings

__all__ = [
    "SEVERITIES",
    "Configuration",
    "ConfigurationError",
    "Glob",
    "OutputFormat",
    "Settings",
]
