import type { ChatRequest } from '../../../../contract/http/chat.ts'
import { countTokens, firstTokens } from '../../../../contract/evidence/count-tokens.ts'
import { RagError } from '../rag-error.ts'

/** An answer within the limits of its request. */
export interface LimitedAnswer {
  answer: string
  finishReason: 'stop' | 'length'
  /** Returns true when text that is rendered after the answer is within the limits too. */
  allows: (content: string) => boolean
}

/**
 * Refuses parameters that no approach can honour, by name: an answer that ignores them would be taken for one that does not. Parameters
 * that only tune a generation (`temperature`, `seed`, `top_p`, penalties) are ignored: approaches answer with their own.
 */
export function requireSupported(request: ChatRequest): void {
  const { n, response_format: format, tool_choice: choice, logprobs } = request
  const modalities = request['modalities']
  const refusals: [boolean, string, string][] = [
    [n !== undefined && n > 1, 'n', 'an approach gives one answer'],
    [
      format !== undefined && format.type !== 'text',
      'response_format',
      'an approach answers in prose with its sources',
    ],
    [choice === 'required' || forcesTool(choice), 'tool_choice', 'an approach calls no tools of the request'],
    [typeof request['function_call'] === 'object', 'function_call', 'an approach calls no tools of the request'],
    [logprobs === true || request['top_logprobs'] !== undefined, 'logprobs', 'an approach has no token probabilities'],
    [
      Array.isArray(modalities) && modalities.some((name) => name !== 'text'),
      'modalities',
      'an approach answers in text',
    ],
  ]
  const refusal = refusals.find(([applies]) => applies)
  if (refusal === undefined) return
  const [, param, why] = refusal
  const remedy = 'leave it out, or ask one of the models that GET /v1/models?all=true lists'
  throw new RagError(
    'unsupported_parameter',
    `The alias "${request.model}" cannot honour ${param}: ${why}; ${remedy}`,
    {
      param,
    },
  )
}

/** A request's limits of an answer's length. */
export type AnswerLimits = Pick<ChatRequest, 'stop' | 'max_tokens' | 'max_completion_tokens'>

export const isLimited = ({ stop, max_tokens, max_completion_tokens }: AnswerLimits): boolean =>
  stop !== undefined || max_tokens !== undefined || max_completion_tokens !== undefined

/** `stop` and `max_tokens` applied to the answer; tokens are estimated, as in the usage of the built-in models. */
export function limitAnswer(text: string, request: AnswerLimits): LimitedAnswer {
  const stops = [request.stop ?? []].flat().filter((stop) => stop !== '')
  const maxTokens = request.max_completion_tokens ?? request.max_tokens ?? Infinity
  const ends = stops.map((stop) => text.indexOf(stop)).filter((at) => at !== -1)
  const stopped = ends.length === 0 ? text : text.slice(0, Math.min(...ends))
  const answer = firstTokens(stopped, maxTokens)
  const cut = answer.length < text.length
  return {
    answer,
    finishReason: answer.length < stopped.length ? 'length' : 'stop',
    allows: (content) => !cut && !stops.some((stop) => content.includes(stop)) && countTokens(content) <= maxTokens,
  }
}

const forcesTool = (choice: ChatRequest['tool_choice']): boolean =>
  typeof choice === 'object' && (choice.type === 'function' || choice['mode'] === 'required')
