import { PLATFORM_VARIABLES } from './platform-variables.ts'
import { SERVICE_VARIABLES } from './service-variables.ts'
import { LIST, PATH, PORT, TOKEN, URL_FORM, type Variable } from './variable.ts'

export { PROGRAMS } from './variable.ts'
export type { Program, Variable } from './variable.ts'

/**
 * Every environment variable of the program, once. Readers take names and defaults from here (`VariableName` is the only type of name that they
 * accept), `docs/guide/settings.md` is generated from it, and a test compares it with what the sources read.
 */
const DECLARED = {
  MATRIX_MODELS: {
    by: 'runner',
    form: LIST,
    default: null,
    what: 'Exactly these aliases; the canonical ones unless set. Excludes MATRIX_FLAVORS.',
    option: '--models',
  },
  MATRIX_FLAVORS: {
    by: 'runner',
    form: LIST,
    default: null,
    what: 'Flavors by name, by approach, or "all". Excludes MATRIX_MODELS.',
    option: '--flavors',
  },
  MATRIX_DATASET_ID: { by: 'runner', form: 'id', default: null, what: 'Dataset of the run.', option: '--dataset' },
  MATRIX_QUERIES_FILE: {
    by: 'runner',
    form: PATH,
    default: null,
    what: 'Questions file instead of the one in the catalogue.',
    option: '--queries',
  },
  MATRIX_RUN_ID: { by: 'runner', form: 'id', default: null, what: 'Name of the run.', option: '--run-id' },
  MATRIX_REPEATS: {
    by: 'runner',
    form: 'whole number, 1 to 20',
    default: null,
    what: 'Answers per question and approach; 1, or what the manifest declares, unless set.',
    option: '--repeats',
  },
  MATRIX_CONTEXT_BUDGET: {
    by: 'runner',
    form: 'none, or whole number, 100 to 200000',
    default: null,
    what: "Tokens of text that every approach hands to the answerer; the manifest's value, else that of the stored run, else 2000 unless set. none runs approaches as they are declared.",
    option: '--context-budget',
  },
  MATRIX_RETRY_FAILED: {
    by: 'runner',
    form: 'access, all or none',
    default: 'access',
    what: 'Failed answers of a stored run that its next run tries again: those whose access was refused (HTTP 401, 402, 403, 404, a used-up credit) or that had no connection, all, or none.',
    option: '--retry-failed',
  },
  MATRIX_CONCURRENCY: {
    by: 'runner',
    form: 'whole number, 1 to 32',
    default: null,
    what: "How many answers are made at once; the manifest's value unless set.",
    option: '--concurrency',
    setting: 'concurrency',
  },
  RAG_MODEL_SET: {
    by: 'runner',
    form: 'name',
    default: null,
    what: "Set of manifests/models.yaml for the embedded platform; the manifest's default unless set.",
    option: '--model-set',
    setting: 'model_set',
  },
  MATRIX_MANIFEST_FILE: {
    by: 'runner',
    form: PATH,
    default: null,
    what: 'Experiment manifest instead of manifests/evaluation.yaml.',
    option: '--manifest',
  },
  MATRIX_CANONICAL_FILE: {
    by: 'runner',
    form: PATH,
    default: null,
    what: 'Evidence file (JSONL) of a run of one dataset, instead of the one in the results folder.',
  },
  MATRIX_SUMMARY_FILE: {
    by: 'runner',
    form: PATH,
    default: null,
    what: 'Aggregate file of a run of one dataset, instead of the one in the results folder.',
  },
  MATRIX_RESULTS_FILE: {
    by: 'runner',
    form: PATH,
    default: null,
    what: 'Matrix file of a run of one dataset, instead of the one in the results folder.',
  },
  MATRIX_EVIDENCE_URL: {
    by: 'runner',
    form: 'postgres address',
    default: null,
    what: 'PostgreSQL database that keeps the rows of runs, so that workers on several machines can share one: postgres://user@host:5432/database. Its password may be here, in PGPASSWORD or in the file that libpq reads. Files in the results folder unless set.',
    option: '--evidence',
    isSecret: true,
  },
  MATRIX_GATEWAY_URL: {
    by: 'runner',
    form: URL_FORM,
    default: null,
    what: 'Gateway of a platform that runs elsewhere; the embedded platform unless set.',
    option: '--gateway',
    setting: 'gateway_url',
  },
  MATRIX_GATEWAY_API_KEY: {
    by: 'runner',
    form: TOKEN,
    default: null,
    what: 'Key of that gateway.',
    setting: 'gateway_api_key',
    isSecret: true,
  },
  MATRIX_PLATFORM_URL: {
    by: 'runner',
    form: URL_FORM,
    default: null,
    what: "Ingestion and evaluation of that platform, where they are not at the gateway's address.",
    option: '--platform',
    setting: 'platform_url',
  },
  MATRIX_PLATFORM_TOKEN: {
    by: 'runner',
    form: TOKEN,
    default: null,
    what: "Operator token of that platform: ingestion, evaluation, usage. The gateway's key is used unless set.",
    setting: 'platform_token',
    isSecret: true,
  },
  MATRIX_EDGE_API_KEY: {
    by: 'runner',
    form: TOKEN,
    default: null,
    what: 'Key of an edge in front of that platform.',
    isSecret: true,
  },
  MATRIX_EVALUATOR_URL: {
    by: 'runner',
    form: URL_FORM,
    default: null,
    what: "Another evaluator than the platform's own.",
    option: '--evaluator',
    setting: 'evaluator_url',
  },
  MATRIX_EVALUATOR_API_KEY: {
    by: 'runner',
    form: TOKEN,
    default: null,
    what: 'Key of that evaluator.',
    setting: 'evaluator_api_key',
    isSecret: true,
  },
  JUDGE_MODELS: {
    by: 'runner',
    form: LIST,
    default: null,
    what: 'Judges, two or more; judging is on when judges are named.',
    option: '--judge-models',
    setting: 'judge_models',
  },
  JUDGE_ENDPOINT: {
    by: 'runner',
    form: `${URL_FORM}, or platform-gateway`,
    default: null,
    what: 'Chat endpoint of the judges; the gateway of the run unless set.',
    option: '--judge-endpoint',
    setting: 'judge_endpoint',
  },
  JUDGE_API_KEY: {
    by: 'runner',
    form: TOKEN,
    default: null,
    what: 'Key of that endpoint.',
    setting: 'judge_api_key',
    isSecret: true,
  },
  JUDGE_THINK: {
    by: 'runner',
    form: 'true, false or omit',
    default: null,
    what: 'Whether judges may think before they answer; omit sends no such field.',
  },
  JUDGE_FAMILIES: {
    by: 'runner',
    form: 'pairs such as judge-a=qwen,judge-b=llama',
    default: null,
    what: 'Model family of judges whose name does not show it.',
  },
  JUDGE_MANIFEST_FILE: {
    by: 'runner',
    form: PATH,
    default: null,
    what: 'Manifest with the judge panel instead of the one of the experiment.',
  },
  RAG_LADDER_PROJECT: {
    by: 'app',
    form: PATH,
    default: '.',
    what: 'Project folder with manifests/ and corpus/.',
    option: '--project',
  },
  RAG_LADDER_RESULTS: {
    by: 'app',
    form: PATH,
    default: 'results',
    what: 'Results folder of the engine, relative to the project.',
    option: '--results',
  },
  RAG_LADDER_USER_DIR: {
    by: 'app',
    form: PATH,
    default: null,
    what: "Folder of this person's own files (allowed addresses, stored keys of connections); the system's folder for configuration unless set.",
  },
  RAG_LADDER_TRUSTED_ADDRESSES: {
    by: 'app',
    form: LIST,
    default: null,
    what: 'Origins that credentials may be sent to, besides those allowed with `rag-ladder trust`.',
  },
  RAG_LADDER_ENGINE_NODE: {
    by: 'app',
    form: PATH,
    default: null,
    what: "Node program for the desktop app's child processes, where the Electron at hand is too old.",
  },
  RAG_LADDER_ENGINE_URL: {
    by: 'app',
    form: URL_FORM,
    default: null,
    what: 'A running engine for the desktop app to show instead of its own; for development only.',
  },
  RAG_LADDER_LOG: {
    by: 'runner',
    form: 'debug',
    default: null,
    what: 'With debug, a run reports why an answer is reused, skipped or tried again.',
    option: '--verbose',
  },
  RAG_LADDER_STACK: { by: 'app', form: '1', default: null, what: 'Prints the stack of an error of the command line.' },
  NO_COLOR: { by: 'app', form: 'any value', default: null, what: 'Prints without colours and without live progress.' },
  CI: { by: 'app', form: 'any value', default: null, what: 'Prints progress as lines instead of a live display.' },
  COLUMNS: { by: 'app', form: 'whole number', default: null, what: 'Width of printed tables; that of the terminal.' },
  ...PLATFORM_VARIABLES,
  ...SERVICE_VARIABLES,
  RAG_LADDER_ENGINE_TOKEN: {
    by: 'internal',
    form: TOKEN,
    default: null,
    what: 'Launch token of the engine.',
    isSecret: true,
  },
  RAG_LADDER_ENGINE_ENTRY: {
    by: 'internal',
    form: PATH,
    default: null,
    what: 'Module that the desktop app of a checkout starts as its engine.',
  },
  RAG_LADDER_ENGINE_PORT: { by: 'internal', form: PORT, default: '0', what: 'Port of the engine.' },
  RAG_LADDER_RENDERER_DIR: { by: 'internal', form: PATH, default: null, what: 'Folder of the built pages.' },
  RAG_LADDER_APP_ORIGIN: { by: 'internal', form: 'origin', default: null, what: "Origin of the desktop app's pages." },
  RAG_LADDER_HOST_LAUNCHES: {
    by: 'internal',
    form: '1',
    default: null,
    what: 'The host starts the engine’s children.',
  },
  RAG_LADDER_CHECK_ONLY: {
    by: 'internal',
    form: '1',
    default: null,
    what: 'The platform reads its settings and ends.',
  },
  RAG_LADDER_TRUSTED_APPROACHES: {
    by: 'internal',
    form: LIST,
    default: null,
    what: 'SHA-256 of the files in approaches/ that the person has allowed.',
  },
  RAG_LADDER_HOST_MAX_FILES: {
    by: 'internal',
    form: 'whole number',
    default: null,
    what: 'Most files of a corpus where neither RAG_INGESTION_MAX_FILES nor the project’s env file sets it.',
  },
  RAG_LADDER_TEST_MODELS: {
    by: 'internal',
    form: 'JSON',
    default: null,
    what: 'Models that a process of its own tests, each in its roles.',
  },
  RAG_LADDER_FETCH_FILE: {
    by: 'internal',
    form: 'JSON',
    default: null,
    what: 'File that a process of its own downloads.',
  },
  RAG_LADDER_CHILD_ENTRY: { by: 'internal', form: PATH, default: null, what: 'Module that a utility process runs.' },
  RAG_LADDER_CHILD_CHANNEL: { by: 'internal', form: 'name', default: null, what: 'Channel of a utility process.' },
  ELECTRON_RENDERER_URL: { by: 'internal', form: URL_FORM, default: null, what: "Vite's server in development." },
} as const satisfies Record<string, Variable>

export type VariableName = keyof typeof DECLARED

/** By name, in the order of the generated page. */
export const VARIABLES: Readonly<Record<VariableName, Variable>> = DECLARED

/** The declared default of a variable. Throws where it has none: the reader must compute one. */
export function defaultOf(name: VariableName): string {
  const value = VARIABLES[name].default
  if (value === null) throw new TypeError(`${name} has no declared default`)
  return value
}
