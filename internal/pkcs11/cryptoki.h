//go:build pkcs11

// What is used here of the PKCS#11 interface, version 2.40: types as they lie in memory where nothing is packed, which is
// everywhere but on Windows, and calls that keep C structures on the C side.

#ifndef BULKSIGNER_CRYPTOKI_H
#define BULKSIGNER_CRYPTOKI_H

#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>

typedef unsigned long ck_ulong;

typedef struct { unsigned char major, minor; } ck_version;
typedef struct { ck_ulong type; void *value; ck_ulong length; } ck_attribute;
typedef struct { ck_ulong type; void *parameter; ck_ulong length; } ck_mechanism;
typedef struct { ck_ulong slot, state, flags, device_error; } ck_session_info;
typedef struct { ck_ulong min, max, flags; } ck_mechanism_info;
typedef struct { void *mutexes[4]; ck_ulong flags; void *reserved; } ck_initialize_args;

typedef struct {
	char label[32], maker[32], model[16], serial[16];
	ck_ulong flags, counts[10];
	ck_version hardware, firmware;
	char utc_time[16];
} ck_token_info;

// The module's list of functions. The order is the standard's; runs of functions that are not used are named by their ends.
typedef struct {
	ck_version version;
	ck_ulong (*initialize)(void *args);
	void *finalize_to_function_list[3];
	ck_ulong (*slots)(unsigned char present, ck_ulong *slots, ck_ulong *count);
	void *slot_info;
	ck_ulong (*token_info)(ck_ulong slot, ck_token_info *info);
	void *mechanisms;
	ck_ulong (*mechanism_info)(ck_ulong slot, ck_ulong type, ck_mechanism_info *info);
	void *init_token_to_set_pin[3];
	ck_ulong (*open_session)(ck_ulong slot, ck_ulong flags, void *application, void *notify, ck_ulong *session);
	ck_ulong (*close_session)(ck_ulong session);
	void *close_all_sessions;
	ck_ulong (*session_info)(ck_ulong session, ck_session_info *info);
	void *operation_states[2];
	ck_ulong (*login)(ck_ulong session, ck_ulong user, void *pin, ck_ulong length);
	ck_ulong (*logout)(ck_ulong session);
	void *create_object_to_object_size[4];
	ck_ulong (*attributes)(ck_ulong session, ck_ulong object, ck_attribute *list, ck_ulong count);
	void *set_attributes;
	ck_ulong (*find_init)(ck_ulong session, ck_attribute *list, ck_ulong count);
	ck_ulong (*find)(ck_ulong session, ck_ulong *objects, ck_ulong max, ck_ulong *count);
	ck_ulong (*find_final)(ck_ulong session);
	void *encrypt_to_digest[13];
	ck_ulong (*sign_init)(ck_ulong session, ck_mechanism *mechanism, ck_ulong key);
	ck_ulong (*sign)(ck_ulong session, void *data, ck_ulong length, void *signature, ck_ulong *signature_length);
} ck_functions;

// C_GetFunctionList, C_Initialize and C_Sign are the 4th, 1st and 44th of the list, behind the version.
_Static_assert(offsetof(ck_functions, sign) == 44 * sizeof(void *), "the list of functions is not the standard's");

// load opens a module and gives its functions, or NULL and why not.
static ck_functions *load(const char *path, char *why, size_t size)
{
	ck_functions *functions = NULL;
	void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (module == NULL) {
		snprintf(why, size, "%s", dlerror());
		return NULL;
	}
	ck_ulong (*list)(ck_functions **) = (ck_ulong(*)(ck_functions **))dlsym(module, "C_GetFunctionList");
	if (list == NULL || list(&functions) != 0 || functions == NULL || functions->version.major < 2) {
		snprintf(why, size, "the library is no PKCS#11 module of version 2 or later");
		dlclose(module);
		return NULL;
	}
	return functions;
}

// initialize allows calls from several threads.
static ck_ulong initialize(ck_functions *f)
{
	enum { os_locking_ok = 2 };
	ck_initialize_args args = {{NULL}, os_locking_ok, NULL};
	return f->initialize(&args);
}

// slots gives the slots with a token. The standard has modules look for new tokens when they are asked for the count.
static ck_ulong slots(ck_functions *f, ck_ulong *list, ck_ulong *count)
{
	ck_ulong there = 0;
	ck_ulong result = f->slots(1, NULL, &there);
	return result != 0 ? result : f->slots(1, list, count);
}

static ck_ulong token_info(ck_functions *f, ck_ulong slot, ck_token_info *info) { return f->token_info(slot, info); }

static ck_ulong mechanism_flags(ck_functions *f, ck_ulong slot, ck_ulong type, ck_ulong *flags)
{
	ck_mechanism_info info = {0};
	ck_ulong result = f->mechanism_info(slot, type, &info);
	*flags = info.flags;
	return result;
}

static ck_ulong open_session(ck_functions *f, ck_ulong slot, ck_ulong flags, ck_ulong *session)
{
	return f->open_session(slot, flags, NULL, NULL, session);
}

static ck_ulong close_session(ck_functions *f, ck_ulong session) { return f->close_session(session); }

static ck_ulong session_state(ck_functions *f, ck_ulong session, ck_ulong *state)
{
	ck_session_info info = {0};
	ck_ulong result = f->session_info(session, &info);
	*state = info.state;
	return result;
}

static ck_ulong login(ck_functions *f, ck_ulong session, ck_ulong user, void *pin, ck_ulong length)
{
	return f->login(session, user, pin, length);
}

static ck_ulong logout(ck_functions *f, ck_ulong session) { return f->logout(session); }

// find lists objects of a class, of which an attribute has a value unless length is 0.
static ck_ulong find(ck_functions *f, ck_ulong session, ck_ulong class, ck_ulong type, void *value, ck_ulong length,
	ck_ulong *objects, ck_ulong max, ck_ulong *count)
{
	ck_attribute list[] = {{0, &class, sizeof class}, {type, value, length}};
	ck_ulong got = 0, result = f->find_init(session, list, length > 0 ? 2 : 1);
	if (result != 0)
		return result;
	// A module may answer with fewer at a time than it is asked for.
	for (*count = 0; *count < max; *count += got) {
		got = 0;
		result = f->find(session, objects + *count, max - *count, &got);
		if (result != 0 || got == 0 || got > max - *count)
			break;
	}
	ck_ulong last = f->find_final(session);
	return result != 0 ? result : last;
}

// attribute writes the value of one attribute into a buffer. length is the buffer's, and then the value's.
static ck_ulong attribute(ck_functions *f, ck_ulong session, ck_ulong object, ck_ulong type, void *value, ck_ulong *length)
{
	ck_attribute one = {type, value, *length};
	ck_ulong result = f->attributes(session, object, &one, 1);
	*length = one.length;
	return result;
}

static ck_ulong sign_init(ck_functions *f, ck_ulong session, ck_ulong type, ck_ulong key)
{
	ck_mechanism mechanism = {type, NULL, 0};
	return f->sign_init(session, &mechanism, key);
}

static ck_ulong sign(ck_functions *f, ck_ulong session, void *data, ck_ulong length, void *signature, ck_ulong *signature_length)
{
	return f->sign(session, data, length, signature, signature_length);
}

#endif
