"""The doctor: finds suspicious properties of a model, with measured values and fixes.

    for finding in conjoint.doctor.examine("robot.urdf"):
        print(finding.message, *finding.elements, finding.fix, sep="\\\\n  ")

Each check is a function. Its thresholds, with their reasons, are in the same module. docs/your-robot.md explains the
findings.
"""

from conjoint.doctor.examination import examine
from conjoint.doctor.finding import Finding

__all__ = ["Finding", "examine"]
