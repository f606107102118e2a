import { Identifier } from '../../contract/common.ts'
import { MAX_REPEATS } from '../../contract/evidence/canonical-row.ts'
import { ContextBudget } from '../../contract/evidence/context-budget.ts'
import { RetryFailed } from '../../contract/evidence/run-event.ts'
import { MAX_CONCURRENCY, PLATFORM_GATEWAY } from '../../contract/manifests/evaluation.ts'
import { plainNumber } from '../../core/plain-number.ts'
import { addressProblem } from '../../contract/service-address.ts'
import { VARIABLES, type VariableName } from '../../contract/settings/variables.ts'
import { databaseAddressProblem } from '../evidence/postgres/database-address.ts'
import { nearestName } from '../lib/text/nearest-name.ts'

/** Describes what the environment sets for a run; null where it sets nothing. Secrets live here and nowhere else. */
export interface RunnerInputs {
  models: string[] | null
  flavors: string[] | null
  datasetId: string | null
  queriesFile: string | null
  runId: string | null
  /** Answers per question and approach. */
  repeats: number | null
  /** Tokens of text handed to the answerer. */
  contextBudget: ContextBudget | null
  /** Cells in flight. */
  concurrency: number | null
  /** Failed cells of a stored run to try again. */
  retryFailed: RetryFailed | null
  /** Set of `manifests/models.yaml` for the embedded platform. */
  modelSet: string | null
  /** Folder that the embedded platform ingests from, instead of the project's. */
  corpusRoot: string | null
  /** True when a run reports why a cell is reused, skipped or tried again. */
  isVerbose: boolean
  canonicalFile: string | null
  summaryFile: string | null
  resultsFile: string | null
  manifestFile: string | null
  judgeManifestFile: string | null
  /** Database that keeps the rows of runs; it may hold a password. Null keeps them in files. */
  evidenceUrl: string | null
  /** Dashboard of a Ray cluster. */
  rayUrl: string | null
  rayToken: string | null
  gatewayUrl: string | null
  /** Plugin in another process that answers in the place of the embedded platform's own. */
  pluginUrl: string | null
  gatewayApiKey: string | null
  /** Ingestion, evaluation and the plugin's routes, where they are not at the gateway's address. */
  platformUrl: string | null
  /** Operator token of an external platform: ingestion, evaluation, usage. The gateway's key is used where it is not set. */
  platformToken: string | null
  /** Key of the edge in front of an external platform. */
  edgeApiKey: string | null
  evaluatorUrl: string | null
  evaluatorApiKey: string | null
  judgeModels: string[] | null
  judgeEndpoint: string | null
  judgeApiKey: string | null
  judgeThink: boolean | 'omit' | null
  /** Judge → family, for aliases whose name does not show it. */
  judgeFamilies: Record<string, string> | null
}

/** Bad runner input: each problem names the variable or option. */
export class InputError extends Error {
  override readonly name = 'InputError'
  readonly code = 'input_invalid'
  readonly problems: string[]

  constructor(problems: string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

/** A comma-separated list without blanks and repetitions; null for an unset or empty value. */
export function splitList(value: string | null | undefined): string[] | null {
  const items = [...new Set((value ?? '').split(',').map((item) => item.trim()))].filter((item) => item !== '')
  return items.length === 0 ? null : items
}

/** A budget as a person wrote it: `none`, or a number. */
export const readContextBudget = (text: string) => ContextBudget.safeParse(plainNumber(text, 'whole') ?? text)

type Environment = Readonly<Record<string, string | undefined>>

/** Reads the runner's variables. Throws `InputError` with every problem at once. */
export function readRunnerInputs(env: Environment): RunnerInputs {
  const { inputs, problems } = parseRunnerInputs(env)
  if (problems.length > 0) throw new InputError(problems)
  return inputs
}

/** Reads the runner's variables; a variable with a problem counts as unset, and `problems` names each. */
export function parseRunnerInputs(env: Environment): { inputs: RunnerInputs; problems: string[] } {
  const problems: string[] = []
  const text = (name: VariableName): string | null => (env[name] === undefined || env[name] === '' ? null : env[name])
  const url = (name: VariableName): string | null => {
    const value = text(name)
    const problem = value === null ? null : addressProblem(value)
    if (problem === null) return value
    problems.push(`${name}: ${problem}`)
    return null
  }
  const database = (name: VariableName): string | null => {
    const value = text(name)
    const problem = value === null ? null : databaseAddressProblem(value, { password: 'allowed' })
    if (problem === null) return value
    problems.push(`${name}: ${problem}`)
    return null
  }
  const identifier = (name: VariableName): string | null => {
    const value = text(name)
    if (value === null || Identifier.safeParse(value).success) return value
    problems.push(`${name}: letters, digits, "_", "-" and "." only`)
    return null
  }
  const count = (name: VariableName, most: number): number | null => {
    const value = text(name)
    if (value === null) return null
    const number = plainNumber(value, 'whole') ?? NaN
    if (number >= 1 && number <= most) return number
    problems.push(`${name}: expected a whole number from 1 to ${most}, got ${value}`)
    return null
  }
  const inputs: RunnerInputs = {
    models: splitList(text('MATRIX_MODELS')),
    flavors: splitList(text('MATRIX_FLAVORS')),
    datasetId: identifier('MATRIX_DATASET_ID'),
    queriesFile: text('MATRIX_QUERIES_FILE'),
    runId: identifier('MATRIX_RUN_ID'),
    repeats: count('MATRIX_REPEATS', MAX_REPEATS),
    contextBudget: null,
    concurrency: count('MATRIX_CONCURRENCY', MAX_CONCURRENCY),
    retryFailed: null,
    modelSet: identifier('RAG_MODEL_SET'),
    corpusRoot: text('RAG_INGESTION_CORPUS_ROOT'),
    isVerbose: text('RAG_LADDER_LOG') === 'debug',
    canonicalFile: text('MATRIX_CANONICAL_FILE'),
    summaryFile: text('MATRIX_SUMMARY_FILE'),
    resultsFile: text('MATRIX_RESULTS_FILE'),
    manifestFile: text('MATRIX_MANIFEST_FILE'),
    judgeManifestFile: text('JUDGE_MANIFEST_FILE'),
    evidenceUrl: database('MATRIX_EVIDENCE_URL'),
    rayUrl: url('RAY_URL'),
    rayToken: text('RAY_AUTH_TOKEN'),
    gatewayUrl: url('MATRIX_GATEWAY_URL'),
    pluginUrl: url('RAG_PLUGIN_URL'),
    gatewayApiKey: text('MATRIX_GATEWAY_API_KEY'),
    platformUrl: url('MATRIX_PLATFORM_URL'),
    platformToken: text('MATRIX_PLATFORM_TOKEN'),
    edgeApiKey: text('MATRIX_EDGE_API_KEY'),
    evaluatorUrl: url('MATRIX_EVALUATOR_URL'),
    evaluatorApiKey: text('MATRIX_EVALUATOR_API_KEY'),
    judgeModels: splitList(text('JUDGE_MODELS')),
    judgeEndpoint: text('JUDGE_ENDPOINT') === PLATFORM_GATEWAY ? PLATFORM_GATEWAY : url('JUDGE_ENDPOINT'),
    judgeApiKey: text('JUDGE_API_KEY'),
    judgeThink: null,
    judgeFamilies: null,
  }
  const think = text('JUDGE_THINK')
  if (think === 'true' || think === 'false') inputs.judgeThink = think === 'true'
  else if (think === 'omit') inputs.judgeThink = 'omit'
  else if (think !== null) problems.push('JUDGE_THINK: must be true, false or omit')
  const budget = text('MATRIX_CONTEXT_BUDGET')
  if (budget !== null) {
    const parsed = readContextBudget(budget)
    if (parsed.success) inputs.contextBudget = parsed.data
    else problems.push(`MATRIX_CONTEXT_BUDGET: ${parsed.error.issues[0]!.message}, got ${budget}`)
  }
  const retry = text('MATRIX_RETRY_FAILED')
  const parsedRetry = RetryFailed.safeParse(retry)
  if (parsedRetry.success) inputs.retryFailed = parsedRetry.data
  else if (retry !== null) problems.push(`MATRIX_RETRY_FAILED: must be ${RetryFailed.options.join(', ')}, got ${retry}`)
  const families = splitList(text('JUDGE_FAMILIES'))?.map((pair) => pair.split('='))
  if (families?.some((pair) => pair.length !== 2 || pair.includes('')) === true)
    problems.push('JUDGE_FAMILIES: must be a list such as judge-a=qwen,judge-b=llama')
  else if (families !== undefined) inputs.judgeFamilies = Object.fromEntries(families) as Record<string, string>
  problems.push(...misspelt(env))
  if (inputs.models !== null && inputs.flavors !== null)
    problems.push('MATRIX_MODELS and MATRIX_FLAVORS exclude each other: set one of them')
  return { inputs, problems }
}

const KNOWN = Object.keys(VARIABLES)

/** Variables that are one or two letters away from one that a run reads: the run would silently ignore them. */
function misspelt(env: Environment): string[] {
  return Object.keys(env).flatMap((name) => {
    if (!/^(MATRIX|JUDGE)_/.test(name) || KNOWN.includes(name)) return []
    const meant = nearestName(name, KNOWN)
    return meant === null ? [] : [`${name}: unknown variable; did you mean ${meant}?`]
  })
}
