import { AGENT_PROMPT, ANSWER_PROMPT, filledPrompt } from '../../../../contract/prompts.ts'
import { hash } from 'node:crypto'
import { NO_MODEL } from '../../../../contract/approaches.ts'
import type { Derivation } from '../../../../contract/evidence/derivation.ts'
import { messageText, type ChatMessage } from '../../../../contract/http/chat.ts'
import type { ModelRole } from '../../../../contract/manifests/models.ts'
import type { ModelHost } from '../../models/model-host.ts'
import { modelReranker, type RerankerOf } from '../../models/tei/reranker.ts'
import type { CallMeter } from '../call-meter.ts'

/** Version of the code that turns passages into an answer. */
const ANSWER_CODE = 'answer 2'
const DIGEST_CHARS = 8

const digestOf = (text: string, chars: number): string => hash('sha256', text).slice(0, chars)

/** Name and version of the prompt that wrote an answer, and the digest of the instructions with what a flavor adds to them. */
function promptName(messages: readonly ChatMessage[]): string | null {
  const system = messages.find(({ role }) => role === 'system')
  if (system === undefined) return null
  const text = messageText(system)
  const known = [ANSWER_PROMPT, AGENT_PROMPT].find(({ instructions }) =>
    text.startsWith(filledPrompt(instructions.join('\n'))),
  )
  return `${known === undefined ? 'own prompt' : `${known.name} (v${known.version})`} ${digestOf(text, DIGEST_CHARS)}`
}

/** Returns what wrote an answer from the artefacts that were read; null where no model of this process did. */
export function answerRecord(
  { lastChat, counts }: Pick<CallMeter, 'lastChat' | 'counts'>,
  models: Pick<ModelHost, 'resolved'>,
  rerankerOf: RerankerOf,
  read: readonly Derivation[],
): Derivation | null {
  const chat = lastChat()
  if (chat === null) return null
  const { roles } = models.resolved()
  const nameOf = (role: ModelRole): string | null => {
    const used = roles[role]
    return used === undefined ? null : `${used.model} (${used.backend})`
  }
  const model = nameOf(chat.role)
  const prompt = promptName(chat.messages)
  // A reranker that is a service of its own is not counted as a model of this process.
  const reranker = counts().rerankCalls > 0 ? nameOf('rerank') : rerankerOf === modelReranker ? NO_MODEL : null
  return {
    artefact: 'answer',
    input: digestOf(JSON.stringify(read), 16),
    code: ANSWER_CODE,
    ...(model === null ? {} : { model }),
    ...(prompt === null ? {} : { prompt }),
    ...(reranker === null ? {} : { reranker }),
  }
}
