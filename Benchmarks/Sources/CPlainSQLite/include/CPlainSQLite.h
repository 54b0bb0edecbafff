// SQLite as it is, for the loops that the engine is compared with.
#ifndef LIVEQUERY_CPLAINSQLITE_H
#define LIVEQUERY_CPLAINSQLITE_H

#include <sqlite3.h>

#endif
