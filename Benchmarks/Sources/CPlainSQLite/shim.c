// SwiftPM wants a source file in a C target.
#include "CPlainSQLite.h"
