"""Vector and row-major matrix operations on the caller's arrays (mju_*), matrix factors, and index sorting."""
