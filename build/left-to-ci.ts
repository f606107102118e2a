import { isFastRun } from './test-tier.ts'

// Unit, integration and crash tests that `npm test` leaves to CI and to `npm test -- --full`. The fast tier keeps of each area the tests that fail
// for what a user would notice first. A file that is named on the command line runs in every tier. Decision 118.

export interface LeftToCi {
  /** States what is left, as the end of `npm test` prints it. */
  what: string
  /** Files, of which the fast tier runs nothing. */
  files?: readonly string[]
  /**
   * Parts of titles, as the file writes them, of tests or suites that the fast tier skips in a file of which it runs the others. None of the
   * others may build on one of them: `RAG_LADDER_TESTS=fast npx vitest run FILE` shows it.
   */
  titles?: Readonly<Record<string, readonly string[]>>
  /** Files that guard the same area in the fast tier. */
  guards: readonly string[]
}

export const LEFT_TO_CI: readonly LeftToCi[] = [
  {
    what: 'real weights and other programs (npm run test:real, npm run test:peers)',
    files: [
      'tests/real/embeddings.test.ts',
      'tests/real/gguf.test.ts',
      'tests/real/local-embeddings.test.ts',
      'tests/real/local-small.test.ts',
      'tests/real/models-page.test.ts',
      'tests/real/ocr.test.ts',
      'tests/real/platform-memory.test.ts',
      'tests/real/speech.test.ts',
      'tests/peers/lightrag-extraction.test.ts',
      'tests/peers/lightrag.test.ts',
      'tests/peers/litellm.test.ts',
      'tests/peers/n8n-api.test.ts',
      'tests/peers/n8n.test.ts',
      'tests/peers/ragas.test.ts',
      'tests/peers/ray.test.ts',
    ],
    guards: ['tests/real/weights.test.ts', 'tests/integration/chat-services.test.ts'],
  },
  {
    what: 'statistics that hold in hundreds of simulated experiments',
    files: ['main/statistics/simulations.test.ts', 'main/statistics/log-scale.test.ts'],
    titles: {
      'main/report/gate/gate.test.ts': ['in simulated runs a gate of three points'],
      'main/statistics/tuning/tuning.test.ts': ['tuning 50 settings'],
    },
    guards: [
      'main/statistics/compare-pairs.test.ts',
      'main/statistics/pair-decision.test.ts',
      'main/report/verdict/verdict.test.ts',
      'tests/golden/report/report.test.ts',
    ],
  },
  {
    what: 'the same suites on PostgreSQL and on an S3 service, and workers on other machines',
    files: [
      'tests/integration/evidence-database.test.ts',
      'tests/integration/postgres-server.test.ts',
      'tests/integration/weaviate.test.ts',
      'tests/crash/mixed-kills.test.ts',
      'tests/crash/worker-kill.test.ts',
    ],
    titles: {
      'tests/helpers/platform-databases.ts': [' on PostgreSQL'],
      'main/evidence/evidence-store.test.ts': ['evidence in PostgreSQL'],
    },
    guards: [
      'main/evidence/evidence-store.test.ts',
      'providers/platform/jobs/tasks.test.ts',
      'providers/platform/stores/database/database.test.ts',
    ],
  },
  {
    what: 'kills of what is rebuilt or asked again: the run index, media, research; kills at each request of a small file',
    files: [
      'tests/crash/media-kill.test.ts',
      'tests/crash/research-kill.test.ts',
      'tests/crash/run-index-kill.test.ts',
      'tests/crash/whole-files-kill.test.ts',
    ],
    guards: [
      'tests/crash/evidence-kill.test.ts',
      'tests/crash/ingestion-kill.test.ts',
      'tests/crash/storage-kill.test.ts',
      'tests/crash/task-worker-kill.test.ts',
      'main/run-index/open-run-index.test.ts',
    ],
  },
  {
    what: 'a graph beside other requests, of earlier versions and with each of its texts changed; other ways to the graph and the index',
    files: [
      'providers/platform/stores/graph-engine/earlier-files.test.ts',
      'providers/platform/stores/graph-engine/pipeline.test.ts',
      'providers/platform/stores/graph-engine/stored-digests.test.ts',
      'providers/platform/stores/graph-engine/graph/joined-descriptions.test.ts',
      'providers/platform/stores/graph-engine/query/part-strengths.test.ts',
    ],
    titles: {
      'providers/platform/rag/graph/graph-queries.test.ts': ['an engine over HTTP'],
      'providers/platform/composition/derivations.test.ts': ['rebuilds what depends on it and nothing else'],
      'main/run-index/open-run-index.test.ts': [
        'changes are reported, several at once, until the last listener is removed',
        'a folder that is created later and an index file that is deleted are noticed',
      ],
    },
    guards: [
      'providers/platform/stores/graph-engine/crash.test.ts',
      'providers/platform/stores/graph-engine/create-graph-engine.test.ts',
      'providers/platform/stores/graph-engine/graph/graph.test.ts',
      'main/run-index/open-run-index.test.ts',
    ],
  },
  {
    what: 'every procedure of the control API, and what an engine does besides a run',
    files: ['tests/integration/engine-procedures.test.ts'],
    titles: {
      'tests/integration/engine-runs.test.ts': [
        'is sent again from any number to a client that reconnects',
        'waits its turn after another',
        'is planned before it is started, and refused with the exact path',
        'can discard the offer; the cells stay',
        'lets cells in flight finish and offers the run to the next one',
        'while a run waits make it fail with the reason',
      ],
      'tests/integration/engine-services.test.ts': [
        'is started, listed, restarted and stopped through the control API',
        'answers for itself while it loads',
        'that asks for a restart by 504 and exit code 70',
        'that does not start reports why, to callers and on its page',
        'that another process runs is only called',
        'gives a whole refusal also to a client that is still sending',
      ],
    },
    guards: [
      'tests/integration/engine-access.test.ts',
      'tests/integration/engine-runs.test.ts',
      'tests/integration/engine-services.test.ts',
    ],
  },
  {
    what: 'speed, memory and processor time over a long run',
    files: [
      'tests/integration/soak.test.ts',
      'tests/integration/longest-slice.test.ts',
      'tests/integration/linear-time.test.ts',
      'tests/integration/graph-merge-memory.test.ts',
      'tests/integration/shared-pace.test.ts',
      'tests/integration/compile-cache.test.ts',
    ],
    titles: { 'tests/integration/conversion.test.ts': ['reads a thousand pages within bounded memory'] },
    guards: ['tests/integration/conversion.test.ts', 'main/runner/cells/limited-calls.test.ts'],
  },
  {
    what: 'recognition and speech of the built-in engines, and how well retrieval finds',
    files: [
      'tests/integration/pocketsphinx-hearing.test.ts',
      'tests/integration/voice-fit.test.ts',
      'tests/integration/speech-services.test.ts',
      'tests/integration/transcription-service.test.ts',
      'providers/converter/ocr/read-image.test.ts',
      'providers/stt/backends/model-recognizer.test.ts',
      'providers/tts/engines/chatterbox/chatterbox-engine.test.ts',
      'providers/tts/engines/flite/flite-engine.test.ts',
      'providers/tts/engines/kokoro/kokoro-engine.test.ts',
      'providers/tts/engines/voice-fit/voice-fit-engine.test.ts',
      'tests/integration/retrieval-quality.test.ts',
      'tests/integration/retrieval-figures.test.ts',
    ],
    guards: ['providers/stt/stt-service.test.ts', 'providers/tts/tts-service.test.ts', 'tests/golden/corpus.test.ts'],
  },
  {
    what: 'a door with an open plugin, 3D models, and the platform as a process with each fault of its settings, stores and addresses',
    files: [
      'tests/integration/platform-stores.test.ts',
      'tests/integration/platform-processes.test.ts',
      'tests/integration/platform-address.test.ts',
      'providers/platform/composition/configuration-faults.test.ts',
      'providers/platform/specified/compatibility/assets/process-model.test.ts',
      'providers/platform/specified/compatibility/assets/routes.test.ts',
    ],
    titles: { 'tests/integration/security.test.ts': ['a door with an open plugin'] },
    guards: [
      'tests/integration/security.test.ts',
      'tests/integration/platform.test.ts',
      'providers/platform/composition/config.test.ts',
      'providers/platform/specified/compatibility/assets/asset-processor.test.ts',
    ],
  },
  {
    what: 'commands in their further cases',
    files: [
      'tests/integration/cost.test.ts',
      'build/answer-help.test.ts',
      'tests/integration/documented-commands.test.ts',
      'tests/integration/draft-questions.test.ts',
      'tests/integration/gate.test.ts',
      'tests/integration/historical-pages.test.ts',
      'tests/integration/missing-columns.test.ts',
      'tests/integration/serve.test.ts',
      'tests/integration/tune-command.test.ts',
      'tests/integration/verbose.test.ts',
    ],
    titles: {
      'tests/integration/artifact-paths.test.ts': ['are deleted by a cold reset, and found by judge and evaluate'],
      'tests/integration/cli-output.test.ts': ['an output that cannot be written', 'a terminal that is closed'],
      'tests/integration/mcp.test.ts': [
        'lists runs with their datasets, and pages through them',
        'filters and pages cells, and gives one with its answer and passages',
        'writes nothing but protocol on its output',
      ],
      'tests/integration/models-command.test.ts': [
        'a model of the set that serves as a judge is tested as one',
        'doctor asks every service that a variable names',
        'asks a service that the project names once its address is allowed',
      ],
      'tests/integration/own-approaches.test.ts': [
        'a run that is killed in the middle goes on where it was, unless the program changed',
        'one answer that a program does not give is one failed cell with the reason',
      ],
      'tests/integration/own-dataset.test.ts': [
        'a run of a dataset of a person has a name of its own unless one is given',
        'plan reports documents that changed since the run',
        'a run without graph approaches extracts no graph; one with them builds only that',
      ],
      'tests/integration/run-identity.test.ts': [
        'refuses to add rows to those of an earlier runner version',
        'plan over the corpus of a stored run',
        'a corpus that is ingested again while cells run',
      ],
      'tests/integration/repaired-models.test.ts': [
        'a time limit of a model is no condition',
        'a setting of a role that no completed answer asked',
      ],
      'tests/integration/stored-keys.test.ts': [
        'a run goes on when its key is stored instead of in a variable',
        'a connection that another person sends is missing its key',
        'a service that repeats a refused key leaves it in no artifact',
        'removing a connection removes its key',
        'a key of an address that has changed is listed',
      ],
      'tests/integration/weak-extraction.test.ts': [
        'is never asked by a run whose approaches do not read the graph',
        'fails a run alone where the evaluation fails too',
        'ends a run in which every approach reads the graph',
        'keeps nothing that a later run would have to do without',
        'a model that cannot write contexts',
      ],
    },
    guards: [
      'tests/integration/ladder.test.ts',
      'tests/golden/documented-commands.test.ts',
      'main/report/gate/gate.test.ts',
      'main/statistics/tuning/tuning.test.ts',
      'tests/integration/stored-keys.test.ts',
      'tests/integration/credential-echo.test.ts',
      'tests/integration/nothing-lost.test.ts',
    ],
  },
  {
    what: 'a full disk and too few open files, stops at every moment of a start',
    files: ['tests/integration/stop-during-start.test.ts', 'tests/integration/system-limits.test.ts'],
    titles: {
      'tests/integration/ladder-faults.test.ts': [
        'of an external platform come from the environment: one for the gateway',
        'that a LiteLLM proxy does not know are named',
      ],
      'tests/integration/ingestion-faults.test.ts': [
        'on a full disk fails with the file and the reason',
        'is cancelled by the first Ctrl-C',
        'is stopped by a pause in the panel',
      ],
    },
    guards: [
      'tests/crash/evidence-disk.test.ts',
      'tests/integration/ladder-faults.test.ts',
      'tests/integration/ingestion-faults.test.ts',
    ],
  },
]

/** Returns the files that this run of the tests leaves out: none unless all tests were started as the fast tier. */
export const excludedFiles = (): string[] => (isFastRun() ? LEFT_TO_CI.flatMap(({ files = [] }) => files) : [])

const titles = LEFT_TO_CI.flatMap(({ titles: byFile = {} }) => Object.values(byFile).flat())

const LEFT_TITLE = new RegExp(titles.map((title) => RegExp.escape(title)).join('|'))

/** Returns true for the full title of a test that the fast tier skips. */
export const isLeftToCi = (fullTitle: string): boolean => isFastRun() && LEFT_TITLE.test(fullTitle)

/** Matches the full titles of the tests that this run has. */
export const runTitles = (): RegExp | undefined =>
  isFastRun() ? new RegExp(`^(?!.*(?:${LEFT_TITLE.source}))`, 's') : undefined
