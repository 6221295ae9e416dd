# The broker's key, until you have its certificate: one of your own
openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:2048 -out test-key.pem
openssl pkey -in test-key.pem -pubout -out issuer.pem
# Your own key, which signs playback sessions
(umask 077; openssl rand -out session.key 32)
