cat > serve.json <<'END'
{ "keys": { "paths": ["issuer.pem"] }, "store": { "address": "memory:" },
  "sessions": { "keyFiles": ["session.key"], "parameter": "session" },
  "authz": { "requestors": ["REF30"], "resources": ["/live/* REF30"], "uri": "x-original-uri" } }
END
tve serve --config serve.json & sleep 1
