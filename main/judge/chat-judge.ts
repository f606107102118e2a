import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { isTemporary } from '../../core/http/pauses.ts'
import { countTokens } from '../../contract/evidence/count-tokens.ts'
import { overflowIn } from '../../core/model-records/context-overflow.ts'
import { KnownModels } from '../../core/model-records/known-models.ts'
import { estimatedUsage, joinedUsage, usageOfCall, type ModelUsage } from '../../contract/evidence/model-usage.ts'
import { isNearAddress } from '../../contract/manifests/model-connections.ts'
import type { JudgeErrorCode, PromptLeak } from '../../contract/evidence/judgments.ts'
import { messageText } from '../../contract/http/chat.ts'
import { JUDGE_PROMPT, judgeMessages, promptText, type PromptMessage } from '../../core/judging/judge-prompt.ts'
import type { JudgeTask, LetterVerdict } from '../../core/judging/judge-task.ts'
import { parseVerdict } from '../../core/judging/parse-verdict.ts'
import { withoutSecrets } from '../../core/known-secrets.ts'
import { withoutCredentials } from '../manifests/project/provenance.ts'
import type { GatewayClient, GatewayReply } from '../lib/services/gateway-client.ts'
import type { JudgeClient, JudgeReply } from './judge-client.ts'
import { isContent, type LeakScan } from './leak-scan.ts'

/** Limits how long one try may take. */
const JUDGE_TIMEOUT_MS = 200_000
const TRIES = 2
/** States what the endpoints of this process refuse. The address of the platform's gateway changes with each start, so nothing is kept. */
const ENDPOINTS = new KnownModels()
const MAX_WAIT_MS = 60_000
/** Most tokens of a reply, reasoning included. */
const REPLY_TOKENS = 8192
/** A verdict of several answers needs this room. */
const LEAST_REPLY_TOKENS = 512

export interface ChatJudgeOptions {
  model: string
  family: string
  client: GatewayClient
  /** The platform's own gateway takes cache controls; a generic endpoint gets standard fields only. */
  isPlatformGateway: boolean
  /** States where the client points; credentials are taken out. */
  endpoint: string
  /** Null sends no `temperature`. */
  temperature: number | null
  /** Null sends no `think`. */
  think: boolean | null
  scan: LeakScan
  timeoutMs?: number
  /** Pause before the second try where the endpoint failed and names none. */
  backoffMs?: number
}

/** Only what is needed of a completion: foreign endpoints leave fields out. */
const Completion = z.looseObject({
  choices: z
    .array(z.looseObject({ message: z.looseObject({ content: z.unknown() }), finish_reason: z.unknown().optional() }))
    .min(1),
})
const tokens = z.int().min(0)
const Usage = z.looseObject({ usage: z.looseObject({ prompt_tokens: tokens, completion_tokens: tokens }) })
const Content = z.union([z.string(), z.array(z.looseObject({ type: z.string() })), z.null()])

type Tried = { usage: ModelUsage } & (
  | { ok: true; verdict: LetterVerdict }
  | { ok: false; code: JudgeErrorCode; message: string; again: boolean; waitMs: number; problem: string | null }
)

/** A judge at a chat endpoint: two tries in all, the second with a note on what was wrong with the first reply. */
export function createChatJudge(options: ChatJudgeOptions): JudgeClient {
  const { model, client, timeoutMs = JUDGE_TIMEOUT_MS, backoffMs = 500 } = options

  // What stands behind the platform's gateway is not known here, and unknown is not free.
  const isCloud = options.isPlatformGateway || !isNearAddress(options.endpoint)

  const payload = (messages: readonly PromptMessage[], replyTokens: number) => ({
    model,
    messages,
    max_tokens: replyTokens,
    ...(options.temperature === null ? {} : { temperature: options.temperature }),
    stream: false,
    ...(options.think === null ? {} : { think: options.think }),
    ...(options.isPlatformGateway ? { cache: { 'no-cache': true, 'no-store': true } } : {}),
  })

  /** What the endpoint refuses by name, such as a temperature, is left out; a reply gets the room that the prompt leaves in the window. */
  async function ask(messages: readonly PromptMessage[], signal?: AbortSignal): Promise<GatewayReply> {
    const known = ENDPOINTS.of(options.endpoint, model)
    let room = roomIn(known.record.context_window, messages)
    for (;;) {
      const sent = known.fit(payload(messages, room))
      const reply = await client.chat(sent, timeoutMs, signal)
      signal?.throwIfAborted()
      if (reply.ok) return reply
      // A call too many is repeated in its turn, which the client waits for.
      if (reply.isLimit === true) continue
      const { window, prompt } = overflowIn(reply.message)
      const left = window === null || prompt === null ? 0 : window - prompt
      if (reply.status === 400 && left >= LEAST_REPLY_TOKENS && left < room) {
        known.learn({ context_window: window })
        room = left
      } else if (!known.learnRefusal({ status: reply.status, text: reply.message, param: null }, sent)) return reply
    }
  }

  async function attempt(messages: readonly PromptMessage[], task: JudgeTask, signal?: AbortSignal): Promise<Tried> {
    const reply = await ask(messages, signal)
    if (!reply.ok) return { ...endpointFailure(reply, backoffMs), usage: usageOfCall(model, isCloud, null) }
    const text = contentOf(reply.body)
    const written = text === null ? null : estimatedUsage(countTokens(promptText(messages)), countTokens(text))
    const usage = usageOfCall(model, isCloud, Usage.safeParse(reply.body).data?.usage ?? written)
    if (text === null)
      return {
        usage,
        ok: false,
        code: 'invalid_response',
        message: 'the endpoint sent no chat completion with text',
        again: true,
        waitMs: 0,
        problem: null,
      }
    const letters = task.answers.map(({ letter }) => letter)
    const parsed = parseVerdict(text, letters, task.token)
    if (parsed.ok) return { ...parsed, usage }
    const { problem } = parsed
    const message = isCut(reply.body) ? `${problem}; the reply was cut by a limit of tokens` : problem
    return { usage, ok: false, code: 'invalid_verdict', message, again: true, waitMs: 0, problem }
  }

  return {
    name: model,
    family: options.family,
    kind: 'chat',
    identity: {
      prompt_version: JUDGE_PROMPT.version,
      endpoint: options.isPlatformGateway ? 'platform-gateway' : withoutCredentials(options.endpoint),
      temperature: options.temperature,
      think: options.think,
    },
    async judge(task, signal): Promise<JudgeReply> {
      let problem: string | null = null
      let used: ModelUsage[] = []
      for (let attempts = 1; ; attempts += 1) {
        const messages = judgeMessages(task, problem)
        const content = new Set(task.content)
        const leaks = leaksBeyondForm(messages, judgeMessages(blankOf(task), problem), options.scan).filter(
          (leak) => !isContent(leak, content),
        )
        if (leaks.length > 0)
          return { ok: false, code: 'prompt_blocked', message: leakMessage(leaks), attempts: attempts - 1 }
        const tried = await attempt(messages, task, signal)
        used = joinedUsage([...used, tried.usage])
        const usage = used[0]!
        if (tried.ok) return { ok: true, verdict: tried.verdict, attempts, usage }
        if (attempts === TRIES || !tried.again)
          return { ok: false, code: tried.code, message: tried.message, attempts, usage }
        problem = tried.problem
        if (tried.waitMs > 0) await delay(tried.waitMs, undefined, { signal })
      }
    },
    close: () => client.close(),
  }
}

const blankOf = (task: JudgeTask): JudgeTask => ({
  ...task,
  question: '',
  reference: task.reference === null ? null : '',
  answers: task.answers.map((answer) => ({ ...answer, text: '' })),
})

/** The text of the form itself is the same in every prompt and reveals nothing, should an alias be an everyday word such as "best". */
function leaksBeyondForm(messages: readonly PromptMessage[], blank: readonly PromptMessage[], scan: LeakScan) {
  const inForm = new Set(scan(promptText(blank)).map(({ text }) => text.toLowerCase()))
  return scan(promptText(messages)).filter(({ text }) => !inForm.has(text.toLowerCase()))
}

const leakMessage = (leaks: readonly Omit<PromptLeak, 'found_in'>[]): string =>
  `the prompt was not sent: it holds ${leaks.map(({ kind, text }) => `${kind} ${JSON.stringify(text)}`).join(', ')}`

/** The limit of tokens of a reply; without a known window, that of every verdict. Tokens of the prompt are an estimate, with a margin. */
function roomIn(window: number | null, messages: readonly PromptMessage[]): number {
  if (window === null) return REPLY_TOKENS
  const prompt = Math.ceil(countTokens(promptText(messages)) * 1.15) + 64
  return Math.min(REPLY_TOKENS, Math.max(LEAST_REPLY_TOKENS, window - prompt))
}

const isCut = (body: unknown): boolean => Completion.safeParse(body).data?.choices[0]!.finish_reason === 'length'

function contentOf(body: unknown): string | null {
  const completion = Completion.safeParse(body)
  if (!completion.success) return null
  const content = Content.safeParse(completion.data.choices[0]!.message.content)
  return content.success ? withoutSecrets(messageText({ role: 'assistant', content: content.data })) : null
}

const CODES = {
  timeout: 'timeout',
  connection_failed: 'connection_failed',
  connection_reset: 'connection_failed',
  http_error: 'http_error',
  rate_limited: 'rate_limited',
  access_refused: 'access_refused',
  invalid_response: 'invalid_response',
  response_too_large: 'invalid_response',
  content_filtered: 'invalid_response',
  refused: 'invalid_response',
  schema_mismatch: 'invalid_response',
  cancelled: 'connection_failed',
} as const satisfies Record<Extract<GatewayReply, { ok: false }>['type'], JudgeErrorCode>

function endpointFailure(reply: Extract<GatewayReply, { ok: false }>, backoffMs: number) {
  const { type, status, message, retryAfterMs } = reply
  // The same request will be refused again.
  const isRefusal = type === 'access_refused' || (status !== null && status >= 400 && !isTemporary(status))
  const waitMs = Math.min(MAX_WAIT_MS, retryAfterMs ?? (type === 'timeout' ? 0 : backoffMs))
  const code = CODES[type]
  return { ok: false as const, code, message: message.slice(0, 300), again: !isRefusal, waitMs, problem: null }
}
