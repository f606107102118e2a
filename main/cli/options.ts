import { resolve } from 'node:path'
import { namedFiles, type ArtifactPlace } from '../evidence/files/artifact-files.ts'
import { MAX_BUDGET } from '../../contract/control/run-job.ts'
import { MAX_REPEATS } from '../../contract/evidence/canonical-row.ts'
import { MAX_CONCURRENCY, MAX_ROTATIONS } from '../../contract/manifests/evaluation.ts'
import { PRIMARY_METRICS } from '../../contract/metrics/metrics.ts'
import { projectProblem } from '../manifests/project/project-folder.ts'
import { InputError, parseRunnerInputs } from '../manifests/runner-inputs.ts'
import { decimalNumber, flag, textOption, textValue, wholeNumber, type Invocation, type Option } from './command.ts'

/** Options that several commands share, each described once. */
export const RUN_OPTIONS = {
  project: { type: 'string', hint: 'DIR', description: 'project folder with manifests/ and corpus/', default: '.' },
  manifest: textValue('FILE', 'experiment manifest instead of manifests/evaluation.yaml'),
  dataset: textValue('ID,...', 'datasets to run; all levels of the ladder unless given'),
  queries: textValue('FILE', 'question file instead of the one in the catalogue'),
  models: textValue(
    'ALIAS,...',
    'exactly these aliases; the six canonical ones and bm25 unless given. Experimental, with a language model: hyde-rag, multi-query-rag, raptor-rag',
  ),
  flavors: textValue('NAME,...', 'flavors by name, by approach, or "all"'),
  all: flag('every alias of the consumer manifest'),
  baselines: textValue(
    'NAME,...',
    'baselines beside them: no-retrieval (the model alone), full-context (all documents that it takes), bm25',
  ),
  metrics: textValue('NAME,...', 'evaluation metrics instead of the manifest’s; `rag-ladder metrics` defines them'),
  'primary-metric': textValue(
    'NAME',
    `metric that decides about the run: ${PRIMARY_METRICS.join(', ')}; the first that the run has unless given`,
  ),
  'exclude-cut-answers': flag(
    'leave answers that a limit of tokens cut out of all scores; set it before the first answer',
  ),
  evaluate: { type: 'boolean', description: 'score the answers', default: true },
  concurrency: {
    ...wholeNumber(1, MAX_CONCURRENCY, 4),
    description: 'answers at once instead of the manifest’s',
  },
  repeats: {
    ...wholeNumber(1, MAX_REPEATS, 3),
    description: 'answers per question and approach instead of MATRIX_REPEATS',
  },
  'context-budget': textValue(
    'N|none',
    'tokens of text that every approach hands to the answerer (2000 for a new run); none runs them as declared',
  ),
  trace: textValue(
    'full|tree|off',
    'what each answer keeps of its calls to models, stores and tools: steps with their texts (full, the default), steps alone, or nothing',
  ),
  budget: {
    ...decimalNumber({ above: 0, to: MAX_BUDGET }, 2.5),
    hint: 'AMOUNT',
    description:
      'most that the answers may cost, at the prices of `rag-ladder models price`; the run stops between answers',
  },
  'run-id': textValue(
    'ID',
    'name of the run; ladder-<today> unless given, <dataset>-<today> for a dataset of your own',
  ),
  results: { type: 'string', hint: 'DIR', description: 'folder for working artifacts', default: 'results' },
  evidence: textValue('URL', 'PostgreSQL database that keeps the rows, instead of files; without its password'),
  'model-set': textValue('NAME', 'set of manifests/models.yaml for the embedded platform'),
  gateway: textValue('URL', 'gateway of a platform that runs elsewhere, not the embedded one'),
  platform: textValue('URL', 'its ingestion and evaluation, where not at the gateway’s address'),
  evaluator: textValue('URL', 'another evaluator than the platform’s own'),
  judge: flag('grade the answers by the judge panel; on when judges are named'),
  'judge-models': textValue('NAME,...', 'judges, two or more, instead of JUDGE_MODELS'),
  'judge-endpoint': textValue('URL', 'chat endpoint of the judges instead of the gateway'),
  rotations: {
    ...wholeNumber(1, MAX_ROTATIONS, 3),
    description: 'how often each judge is asked, each time in another order; twice unless given',
  },
  reference: flag('show the ground truth to chat judges; on unless --no-reference'),
  json: flag('print events as JSON lines'),
} as const satisfies Record<string, Option>

/** For the commands that go on with a stored run. */
export const RETRY_OPTION = {
  'retry-failed': flag(
    'try all failed answers of a stored run again; only those without access or connection unless given, none with --no-retry-failed',
  ),
} as const satisfies Record<string, Option>

/** For the ladder and its plan. */
export const COLD_RESET_OPTION = {
  'cold-reset': flag(
    'move this run’s finished answers, summaries and collections to the trash first; on unless --no-cold-reset',
  ),
} as const satisfies Record<string, Option>

/** For the commands that run cells. */
export const VERBOSE_OPTION = {
  verbose: flag('report why an answer is reused, skipped or retried (RAG_LADDER_LOG=debug)'),
} as const satisfies Record<string, Option>

export function pickOptions<Name extends keyof typeof RUN_OPTIONS>(...names: Name[]): Record<Name, Option> {
  return Object.fromEntries(names.map((name) => [name, RUN_OPTIONS[name] as Option])) as Record<Name, Option>
}

/** The project that a command uses. Throws `InputError` when there is none at the path. */
export function projectFolder(invocation: Invocation): string {
  const root = resolve(textOption(invocation, 'project') ?? '.')
  const problem = projectProblem(root)
  if (problem !== null) throw new InputError([problem])
  return root
}

/**
 * Returns where a command that only reads finds artifacts: the folder of `--results`, and the files that variables name. It needs no project,
 * because published results can be anywhere.
 */
export function artifactPlace(invocation: Invocation): ArtifactPlace {
  const root = resolve(textOption(invocation, 'project') ?? '.')
  const { inputs } = parseRunnerInputs(invocation.env)
  return { resultsDir: resolve(root, textOption(invocation, 'results') ?? 'results'), named: namedFiles(root, inputs) }
}

/** The evidence files that were named, else the one that MATRIX_CANONICAL_FILE names. */
export function evidenceArguments(invocation: Invocation): string[] {
  const { evidence } = artifactPlace(invocation).named
  return invocation.positionals.length > 0 || evidence === undefined ? invocation.positionals : [evidence]
}

/** For the commands that serve; 0 takes any free port. */
export const PORT_OPTION = { ...wholeNumber(0, 65_535, 4870), hint: 'PORT' }
