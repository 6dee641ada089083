#include <string.h>
#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-event.h>
#include <systemd/sd-id128.h>
#include <systemd/sd-journal.h>

/* Fill the entries of an object's table in place (sd_bus_add_object_vtable(3)): Swift imports neither the macros
   for them nor the bit fields. The unused bytes of an entry must be zero. */
static inline void nj_bus_table_start(sd_bus_vtable *entry) {
  const sd_bus_vtable start[] = {SD_BUS_VTABLE_START(0)};
  memset(entry, 0, sizeof *entry);
  entry->type = start[0].type;
  entry->x.start = start[0].x.start;
}

static inline void nj_bus_table_method(sd_bus_vtable *entry, const char *member, const char *takes, const char *gives,
                                       sd_bus_message_handler_t handler) {
  memset(entry, 0, sizeof *entry);
  entry->type = _SD_BUS_VTABLE_METHOD;
  entry->flags = SD_BUS_VTABLE_UNPRIVILEGED;
  entry->x.method.member = member;
  entry->x.method.signature = takes;
  entry->x.method.result = gives;
  entry->x.method.handler = handler;
  entry->x.method.names = "";
}

static inline void nj_bus_table_property(sd_bus_vtable *entry, const char *member, const char *type,
                                         sd_bus_property_get_t get) {
  memset(entry, 0, sizeof *entry);
  entry->type = _SD_BUS_VTABLE_PROPERTY;
  entry->x.property.member = member;
  entry->x.property.signature = type;
  entry->x.property.get = get;
}

static inline void nj_bus_table_signal(sd_bus_vtable *entry, const char *member, const char *gives) {
  memset(entry, 0, sizeof *entry);
  entry->type = _SD_BUS_VTABLE_SIGNAL;
  entry->x.signal.member = member;
  entry->x.signal.signature = gives;
  entry->x.signal.names = "";
}

static inline void nj_bus_table_end(sd_bus_vtable *entry) {
  memset(entry, 0, sizeof *entry);
  entry->type = _SD_BUS_VTABLE_END;
}
