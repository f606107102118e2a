// The test of models in the roles that they are given. Each kind of work is asked for as approaches, ingestion and evaluator ask for it, through the
// model host of the platform, so that what is learned of a service counts: a refused field is left out, a schema or tools are replaced by words.
import { noAnswerText } from '../../../../core/model-remedies.ts'
import { performance } from 'node:perf_hooks'
import { APPROACHES } from '../../../../contract/approaches.ts'
import type { LearnedOfModel, ModelRecord } from '../../../../contract/manifests/model-record.ts'
import { isLearnedModel, modelNameOf, type ModelChoice } from '../../../../contract/manifests/model-backends.ts'
import { ModelRole } from '../../../../contract/manifests/models.ts'
import type {
  CalibrationCall,
  JudgeSettings,
  ProbedRole,
  ProbedWork,
  ProbeReply,
  ProbeRequest,
} from '../../../../contract/control/models.ts'
import { forgetModel, KnownModels } from '../../../../core/model-records/known-models.ts'
import { messageOf } from '../../../../core/json.ts'
import { createChatCritic } from '../../evaluator/critics/chat-critic.ts'
import { createModelHost } from '../../models/create-model-host.ts'
import { loadBuiltinModels } from '../../models/load-builtin.ts'
import { reasonOf } from '../../models/model-error-response.ts'
import { ModelCallError, type ModelHost } from '../../models/model-host.ts'
import { renderAgentTask } from '../../models/prompts/agent-task.ts'
import { renderAnswerTask } from '../../models/prompts/answer-task.ts'
import { toolDefinitions } from '../../rag/agent/tools.ts'
import { extractChunk } from '../../stores/graph-engine/extract-chunk.ts'
import { splitKeywords } from '../../stores/graph-engine/query/question-view.ts'
import { calibrate } from './calibrate.ts'
import { probeJudge } from './judge-probe.ts'

type Work = Exclude<ProbedWork['probe'], 'file' | 'models'>

const WORK_OF: Readonly<Record<ProbedRole, Work>> = {
  light_gen: 'chat',
  graph_query: 'chat',
  contextual_blurb: 'chat',
  graph_keyword: 'structured',
  workflow_classifier: 'structured',
  graph_extract: 'extraction',
  evaluator: 'critic',
  agentic: 'tools',
  embed: 'embedding',
  evaluator_embed: 'embedding',
  rerank: 'rerank',
  judge: 'judge',
}
const ORDER: readonly Work[] = ['chat', 'structured', 'extraction', 'critic', 'tools', 'embedding', 'rerank', 'judge']

const QUESTION = 'In which year was the Ternmouth lock opened?'
const TEXT = 'The Ternmouth lock was opened in 1904. Ada Brill designed it for the Ternmouth Harbour Board.'
const AGENT = APPROACHES['agentic-rag'].parameters.parse({ max_steps: 4, vector_top_k: 5, graph_mode: 'local' })
/** Room for the reasoning of a model that reasons. */
const ROOM_TOKENS = 2048

/** States what was found, and what is done instead of the model. */
type Found = string | { finding: string; instead: string[] }

interface Probed {
  judging: JudgeSettings
  learn: (change: LearnedOfModel) => void
}

/** A kind of work, as its callers ask for it. Throws what the callers would see. */
type Probe = (models: ModelHost, signal: AbortSignal | undefined, probed: Probed) => Promise<Found>

const PROBES: Readonly<Record<Work, Probe>> = {
  async chat(models, signal) {
    const started = performance.now()
    const messages = renderAnswerTask({ question: QUESTION, passages: [{ title: 'Ternmouth', text: TEXT }] })
    const request = { messages, temperature: 0, max_tokens: ROOM_TOKENS }
    const { choices, usage } = await models.chat('light_gen', request, signal, () => undefined)
    const [choice] = choices
    if ((choice?.message.content ?? '').trim() === '') throw new Error(noAnswerText(choice?.finish_reason ?? null))
    if (usage === undefined || usage['estimated'] === true) return 'the service reports no tokens'
    const seconds = Math.max(0.001, (performance.now() - started) / 1000)
    return `${(usage.completion_tokens / seconds).toFixed(1)} tokens/s`
  },
  async structured(models, signal) {
    await splitKeywords({ query: QUESTION, hl_keywords: [], ll_keywords: [] }, models, signal)
    return 'JSON of the right form'
  },
  async extraction(models, signal) {
    // Without the second turn that asks for what is missing: it can only add, and takes a small model on a processor a minute.
    const chunk = { title: 'Ternmouth', content: TEXT }
    const { entities, relations } = await extractChunk(chunk, models, undefined, signal, 0)
    if (entities.length === 0) throw new Error('it found no entity in a text with four names')
    return `${entities.length} entities, ${relations.length} relations`
  },
  async critic(models, signal) {
    await createChatCritic(models, 'evaluator').judgeStatements(['The lock was opened in 1904.'], [TEXT], signal)
    return 'a judgement of the right form'
  },
  async judge(models, signal, { judging, learn }) {
    const { verdicts, finding, instead } = await probeJudge(models, judging, signal)
    learn({ verdicts })
    if (verdicts === 'unusable' || verdicts === 'wrong') throw new Error(finding)
    return { finding, instead }
  },
  async tools(models, signal) {
    const tools = toolDefinitions(AGENT)
    const messages = renderAgentTask({ question: QUESTION, turns: 4 })
    const request = { messages, tools, temperature: 0, max_tokens: ROOM_TOKENS }
    const { choices } = await models.chat('agentic', request, signal)
    const [call] = choices[0]?.message.tool_calls ?? []
    if (call === undefined)
      throw new Error('it called no tool for a question that needs a search: its answers would come from memory')
    return `calls ${call.function.name}`
  },
  async embedding(models, signal) {
    const [one, other] = await models.embed('embed', [TEXT, 'Bread is baked at night.'], 'document', signal)
    if (one!.every((value, place) => value === other![place])) throw new Error('two different texts have one vector')
    return `${one!.length} dimensions`
  },
  async rerank(models, signal) {
    const [one, other] = await models.rerank(QUESTION, [TEXT, 'Bread is baked at night.'], signal)
    return one! > other! ? 'ranks the text that answers first' : 'ranks the text that answers last'
  },
}

/** Failures after which every further call of the model fails in the same way. */
const FINAL: ReadonlySet<string> = new Set([
  'unreachable',
  'unauthorized',
  'unknown_model',
  'not_configured',
  'timeout',
])

/** Tests each model in its roles, one call after another. What fails is a result. */
export async function probeModels(
  { models, purpose, judging, records: folder, model_cache: cache }: ProbeRequest,
  secret: (name: string) => string | undefined,
  signal?: AbortSignal,
): Promise<ProbeReply> {
  // The test begins without what was known, and replaces it.
  const known = purpose === 'test' ? new KnownModels() : new KnownModels(folder)
  const probes: ProbedWork[] = []
  const calibrations: CalibrationCall[][] = []
  for (const { choice, roles } of models) {
    const all = Object.fromEntries(ModelRole.options.map((role) => [role, choice])) as Record<ModelRole, ModelChoice>
    const tools = { secret, onnxCacheDir: cache, loadBuiltin: loadBuiltinModels, known }
    const host = createModelHost({ name: 'test', roles: all }, tools)
    const learn = (change: LearnedOfModel): void => {
      if (isLearnedModel(choice)) known.of(choice.base_url, choice.model).learn(change)
    }
    try {
      let rest: Result | null = null
      if (purpose === 'calibration') {
        const { probe, calls } = await calibrated(host, signal)
        probes.push({ ...probe, probe: 'chat', roles, model: modelNameOf(choice) })
        calibrations.push(calls)
        continue
      }
      for (const work of ORDER) {
        const wanted = roles.filter((role) => WORK_OF[role] === work)
        if (wanted.length === 0) continue
        const base = { probe: work, roles: wanted, model: modelNameOf(choice) }
        const result = rest ?? (await resultOf(() => PROBES[work](host, signal, { judging, learn })))
        if (result.status === 'failed' && FINAL.has(result.code ?? '')) rest = NOT_ASKED
        if (result.status === 'limited') rest = { ...NOT_ASKED, status: 'limited' }
        probes.push({ ...base, ...withAdaptations(result, work, recordOf(known, choice)) })
      }
    } finally {
      await host.close()
    }
  }
  if (purpose === 'calibration') return { probes, records: [], calibrations }
  const records = known
    .records()
    .filter(
      ({ finish_reasons: endings, dimensions, embedding_batch: batch }) =>
        endings.length > 0 || dimensions !== null || batch !== null,
    )
  if (folder !== null)
    for (const record of records) {
      forgetModel(folder, record)
      new KnownModels(folder).of(record.address, record.model).learn(record)
    }
  return { probes, records }
}

/** Calls of a model, and how they ended. */
async function calibrated(host: ModelHost, signal?: AbortSignal): Promise<{ probe: Result; calls: CalibrationCall[] }> {
  let calls: CalibrationCall[] = []
  const probe = await resultOf(async () => {
    calls = await calibrate(host, signal)
    return `${calls.length} calls`
  })
  return { probe, calls }
}

type Result = Omit<ProbedWork, 'probe' | 'roles' | 'model'>
const NONE = { latency_ms: null, finding: null, error: null, code: null, http_status: null, wait_ms: null } as const
const NOT_ASKED: Result = { ...NONE, status: 'skipped', finding: 'not asked: the call before it failed' }

async function resultOf(probe: () => Promise<Found>): Promise<Result> {
  const started = performance.now()
  const latency = (): number => Math.round(performance.now() - started)
  try {
    const found = await probe()
    const { finding, instead } = typeof found === 'string' ? { finding: found, instead: [] } : found
    const status = instead.length === 0 ? 'passed' : 'adapted'
    return { ...NONE, status, latency_ms: latency(), finding: [finding, ...instead].join('; ') }
  } catch (error) {
    const isCall = error instanceof ModelCallError
    const words = isCall ? (error.detail ?? reasonOf(error)) : messageOf(error)
    const status = isCall && error.code === 'rate_limited' ? 'limited' : 'failed'
    const failed = { ...NONE, status, latency_ms: latency(), error: words } as const
    return isCall ? { ...failed, code: error.code, http_status: error.status, wait_ms: error.retryAfterMs } : failed
  }
}

const recordOf = (known: KnownModels, choice: ModelChoice): ModelRecord | null =>
  isLearnedModel(choice) ? known.of(choice.base_url, choice.model).record : null

/** A result with what is done in place of what the service does not do. */
function withAdaptations(result: Result, work: Work, record: ModelRecord | null): Result {
  const instead = result.status === 'passed' && record !== null ? adaptations(work, record) : []
  if (instead.length === 0) return result
  return { ...result, status: 'adapted', finding: [result.finding, ...instead].join('; ') }
}

function adaptations(work: Work, record: ModelRecord): string[] {
  const { refused, schema, tools } = record
  const has = (field: string): boolean => Object.hasOwn(refused, field)
  if (work === 'structured' || work === 'extraction' || work === 'critic')
    return has('response_format')
      ? ['it refuses a schema, so JSON is asked for in words']
      : schema === 'ignored'
        ? ['it does not keep to the schema, so JSON is read out of its text']
        : []
  if (work === 'tools')
    return has('tools')
      ? ['it refuses tools, so they are described in words and its calls are read from its text']
      : tools === 'text'
        ? ['it writes its calls as text, where they are read']
        : []
  if (work !== 'chat') return []
  const left = Object.keys(refused).filter((field) => !(field in REPLACED))
  return [
    ...(record.answers_as === null
      ? []
      : [`it answers as ${record.answers_as}, which is another model than was asked for`]),
    ...(left.length === 0 ? [] : [`it refuses ${left.join(', ')}, which is left out`]),
    ...Object.entries(REPLACED).flatMap(([field, words]) => (has(field) && words !== '' ? [words] : [])),
    ...(record.reasoning === 'text' ? ['its reasoning is split off the answer'] : []),
  ]
}

/** States what takes the place of a refused field; those of other work are named there. */
const REPLACED: Readonly<Record<string, string>> = {
  system: 'it refuses the system role, so instructions are sent with the question',
  max_tokens: 'the limit of tokens is sent as max_completion_tokens',
  stream: 'it does not stream, so answers arrive whole',
  response_format: '',
  tools: '',
}
