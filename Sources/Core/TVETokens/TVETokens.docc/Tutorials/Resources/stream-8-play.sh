cat > serve.json <<'END'
{ "keys": { "paths": ["issuer.pem"] }, "store": { "address": "memory:" },
  "sessions": { "keyFiles": ["session.key"], "parameter": "session" },
  "authz": { "requestors": ["REF30"], "resources": ["/live/* REF30"], "uri": "x-original-uri" } }
END
tve serve --config serve.json & sleep 1
# The player's start: the token once, for a session
jq -n --rawfile token token.txt '{ token: $token, requestor: "REF30", resource: "REF30" }' |
    curl -sf -d @- http://127.0.0.1:8080/v1/playback-sessions > play.json
session=$(jq -r .session play.json)
# The proxy's question for each segment: 200, 200, 200
for segment in 1 2 3; do
    curl -sf -o answer.txt -w '%{http_code}\n' -H "X-Original-URI: /live/$segment.ts?session=$session" \
        http://127.0.0.1:8080/v1/authz
done
