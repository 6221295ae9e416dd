# The broker's key, until you have its certificate: one of your own
openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out test-key.pem
openssl pkey -in test-key.pem -pubout -out issuer.pem
# Your own key, which signs playback sessions
(umask 077; openssl rand -out session.key 32)
# A media token, as an app gets it from the broker
tve issue media-token --key test-key.pem --requestor REF30 --resource REF30 > token.txt
tve inspect - < token.txt
