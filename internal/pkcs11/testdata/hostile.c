// A PKCS#11 module that answers more than it was asked for. It has only the functions that are called.

typedef unsigned long ul;
typedef struct { ul type; void *value; ul length; } attribute;

static ul fine(void) { return 0; }

static ul slots(unsigned char present, ul *list, ul *count)
{
	if (list)
		list[0] = 1;
	*count = list ? ~0UL : 1;
	return 0;
}

static ul token(ul slot, void *info) { return 0; }

static ul mechanism(ul slot, ul type, ul *info)
{
	info[2] = 0x800;
	return 0;
}

// open is that of a token that cannot be written to.
static ul open(ul slot, ul flags, void *application, void *notify, ul *session)
{
	if (flags & 2)
		return 0xE2;
	*session = 7;
	return 0;
}

static ul attributes(ul session, ul object, attribute *list, ul count)
{
	list[0].length = ~0UL;
	return 0;
}

// find has no end. It gives one object at a time.
static ul find(ul session, ul *objects, ul max, ul *count)
{
	objects[0] = 1;
	*count = 1;
	return 0;
}

static ul sign(ul session, void *data, ul length, void *signature, ul *signature_length)
{
	*signature_length = ~0UL;
	return 0;
}

static struct { unsigned char major, minor; void *calls[68]; } list = { VERSION, 40, {
	[0] = fine, [4] = slots, [6] = token, [8] = mechanism, [12] = open, [13] = fine, [15] = fine, [18] = fine, [19] = fine,
	[24] = attributes, [26] = fine, [27] = find, [28] = fine, [42] = fine, [43] = sign,
} };

ul C_GetFunctionList(void **functions)
{
	*functions = &list;
	return 0;
}
