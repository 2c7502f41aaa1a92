#!/bin/sh
# Tells the CloudHSM library where its cluster is and how it is known, and becomes the function. HSM_ADDRESSES has the addresses
# of the HSMs between blanks, HSM_CA_CERTIFICATE the certificate that the cluster was initialized with.
set -eu
: "${HSM_ADDRESSES:?the deployment sets it}" "${HSM_CA_CERTIFICATE:?the deployment sets it}"

mkdir -p /tmp/cloudhsm
cp -r /opt/cloudhsm/etc.image/. /tmp/cloudhsm
printf '%s\n' "$HSM_CA_CERTIFICATE" >/tmp/cloudhsm/customerCA.crt

set -- --hsm-ca-cert /opt/cloudhsm/etc/customerCA.crt --log-type term --log-level warn
case $HSM_ADDRESSES in
*' '*) ;;
# The library uses no key that is on one HSM alone, unless it is told that there is but one.
*) set -- "$@" --disable-key-availability-check ;;
esac
# Unquoted, since each address is an argument. What the tool says is no answer of the function.
/opt/cloudhsm/bin/configure-pkcs11 "$@" -a $HSM_ADDRESSES >&2

unset HSM_ADDRESSES HSM_CA_CERTIFICATE
exec /var/task/bootstrap
