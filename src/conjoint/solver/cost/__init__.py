"""What constraints cost: rows whose force lies in an interval, and cones of several rows."""
