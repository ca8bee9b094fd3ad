"""The complex and short reads of LDBC's interactive workload: texts beside this file, parameters in `parameters.py`."""
