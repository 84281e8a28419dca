# Everything a newcomer or a CI machine needs; each target sets up what it uses.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --no-compile
# pip compiles one file after the other; this uses every core. Templates of packages that are no Python are of no concern.
COMPILE := $(BIN)/python -m compileall -q -j 0 $(VENV)/lib indexer > /dev/null || true
# The tests start a thousand processes: none of them must compile everything anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: try test check chromium e2e aimock test-models test-ocr prometheus test-alerts test-followers followers laws crash fuzz soak replay api bench alerts docs clean

$(VENV)/installed: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) --upgrade pip
	$(INSTALL) --editable .
	$(COMPILE)
	touch $@

$(VENV)/dev: $(VENV)/installed
	$(INSTALL) --editable '.[dev]'
	$(COMPILE)
	touch $@

try: $(VENV)/installed  ## install, index the documents in knowledge_base/, ask a question
	$(BIN)/indexer update --now
	$(BIN)/indexer search "婚假有几天"
	@echo 'Now try: $(BIN)/indexer search "How many days of remote work are allowed?"'

test: $(VENV)/dev  ## all tests of the base install, four files at a time (many of them mostly wait)
	$(BIN)/python -m pytest --numprocesses 4 --dist loadfile

check: $(VENV)/dev  ## style, types, import arrows
	$(BIN)/ruff check indexer tests benchmarks scripts
	$(BIN)/ruff format --check indexer tests benchmarks scripts
	$(BIN)/mypy
	$(BIN)/lint-imports

$(VENV)/extras: $(VENV)/dev
	$(INSTALL) torch==2.13.0
	$(INSTALL) --editable '.[sentence-transformers,dev-models,ocr]'
	$(COMPILE)
	touch $@

test-models: $(VENV)/extras  ## the tests that need torch and sentence-transformers
	$(BIN)/python -m pytest tests/embed/test_sentence_transformers.py tests/embed/test_embed_benchmark.py tests/ask/test_ask_cross_encoder.py

test-ocr: $(VENV)/extras  ## the tests that read pictures; those of old Office files where LibreOffice is installed
	$(BIN)/python -m pytest tests/parse/test_ocr.py tests/parse/test_image.py tests/parse/test_legacy.py

laws: $(VENV)/dev  ## 4,000 random histories against the reference, every sabotage
	INDEXER_TEST_LAWS=4000 $(BIN)/python -m pytest tests/laws -s --timeout 7200

crash: $(VENV)/dev  ## kill at every step, 200 random kills, I/O errors, power loss, flipped bits
	INDEXER_TEST_CRASH=full $(BIN)/python -m pytest tests/crash -s --timeout 7200

fuzz: $(VENV)/dev  ## 3,000 broken files of all formats, from fixed seeds, through the real parsers
	INDEXER_TEST_FUZZ=3000 $(BIN)/python -m pytest tests/parse/test_hostile.py -s --timeout 7200

prometheus:  ## Debian's Prometheus and Alertmanager, if they are absent
	for program in promtool prometheus prometheus-alertmanager; do command -v $$program > /dev/null || absent=1; done; \
	[ "$$(id -u)" = 0 ] || sudo=sudo; [ -z "$$absent" ] || { $$sudo apt-get update && \
	$$sudo apt-get install -y --no-install-recommends prometheus prometheus-alertmanager; }

test-alerts: $(VENV)/dev  ## the alert rules as promtool, a real Prometheus and a real Alertmanager see them
	INDEXER_TEST_ALERTS=1 $(BIN)/python -m pytest tests/monitoring/test_alerts.py --timeout 1800

alerts: prometheus $(VENV)/dev  ## everything about monitoring, with a real Prometheus, Alertmanager and daemon
	INDEXER_TEST_ALERTS=1 $(BIN)/python -m pytest tests/monitoring --timeout 1800

chromium:  ## Debian's Chromium and Chinese fonts, if they are absent
	[ "$$(id -u)" = 0 ] || sudo=sudo; command -v chromium > /dev/null || { $$sudo apt-get update && \
	$$sudo apt-get install -y --no-install-recommends chromium fonts-noto-cjk; }

e2e: chromium $(VENV)/dev  ## the Web UI in a real browser against a real service
	$(BIN)/python -m pytest tests/e2e --numprocesses 2 --dist loadfile --timeout 600

tests/ask/.aimock/node_modules:
	npm install --prefix tests/ask/.aimock --no-audit --no-fund @copilotkit/aimock@1.43.0

aimock: tests/ask/.aimock/node_modules $(VENV)/dev  ## questions against an independent mock of OpenAI's server, in good and bad moods
	INDEXER_TEST_AIMOCK=1 $(BIN)/python -m pytest tests/ask/test_ask_aimock.py

SERVERS := .lightrag
LIGHTRAG := 1.5.7

$(SERVERS)/ranks:
	npm install --prefix $(SERVERS)/npm --no-audit --no-fund tiktoken@1.0.22
	$(PYTHON) tests/followers/token_ranks.py $(SERVERS)/npm/node_modules/tiktoken/encoders $@

$(SERVERS)/%/bin/lightrag-server: $(SERVERS)/ranks
	$(PYTHON) -m venv $(SERVERS)/$*
	$(SERVERS)/$*/bin/python -m pip install --quiet --no-compile "lightrag-hku[api]==$*"

test-followers: $(SERVERS)/$(LIGHTRAG)/bin/lightrag-server $(VENV)/dev  ## the LightRAG follower against a real server
	$(BIN)/python -m pytest tests/followers/test_lightrag_real.py --timeout 900

followers: $(SERVERS)/1.5.7/bin/lightrag-server $(SERVERS)/1.4.16/bin/lightrag-server $(VENV)/dev  ## everything about followers, with real LightRAG servers of both kinds and Chroma
	$(INSTALL) langchain-chroma
	INDEXER_TEST_FOLLOWERS=40 $(BIN)/python -m pytest tests/followers --timeout 1800

soak: $(VENV)/dev  ## a day and more of edits, kills and jumping clocks in 20 minutes; every failure tells its seed
	INDEXER_TEST_SOAK=20 $(BIN)/python -m pytest tests/soak -s --timeout 7200

replay: $(VENV)/dev  ## real edit histories, five commits a second, into a folder the daemon watches
	$(BIN)/python -m benchmarks.replay_watch

api: $(VENV)/dev  ## the web API: every operation for everybody, and schemathesis on its OpenAPI document
	INDEXER_TEST_API=20 $(BIN)/python -m pytest tests/web/test_web_schema.py tests/web/test_web_auth.py --timeout 1800

bench: $(VENV)/dev  ## cost against the usual recipes
	$(BIN)/python -m benchmarks.peers --files 1000
	$(BIN)/python -m benchmarks.peers --files 10000

docs: $(VENV)/installed  ## write what is made from the code: docs/commands.md
	$(BIN)/python scripts/make_commands.py

clean:
	rm -rf $(VENV)
