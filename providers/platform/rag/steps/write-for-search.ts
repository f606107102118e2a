import { hash } from 'node:crypto'
import { filledPrompt, type Prompt } from '../../../../contract/prompts.ts'
import { withoutThinking } from '../../../../core/thinking.ts'
import type { TaskMessages } from '../../models/prompts/task-messages.ts'
import type { ApproachServices } from '../approach.ts'
import { RagError } from '../rag-error.ts'

/** Version of the code that turns what a model wrote into a search. */
const QUERY_CODE = 'query 1'
const DIGEST_CHARS = 8

/** Name and version of a prompt, and the digest of its instructions, as rows record it. */
export const recordedPrompt = ({ name, version, instructions }: Prompt): string =>
  `${name} (v${version}) ${hash('sha256', filledPrompt(instructions.join('\n'))).slice(0, DIGEST_CHARS)}`

/**
 * A text that the model of `light_gen` writes to search with, temperature 0, at most `maxTokens` long; the row records model and prompt. Throws `RagError` when
 * the model returns no text, or is a rule: rules write nothing that no passage holds.
 */
export async function writeForSearch(
  prompt: Prompt,
  messages: TaskMessages,
  maxTokens: number,
  { models, onRead, alias }: Pick<ApproachServices, 'models' | 'onRead' | 'alias'>,
  signal?: AbortSignal,
): Promise<string> {
  const asked = { messages, temperature: 0, max_tokens: maxTokens }
  const completion = await models.chat('light_gen', asked, signal)
  const text = withoutThinking(completion.choices[0]?.message.content ?? '').trim()
  if (text === '')
    throw new RagError('model_answer_invalid', `the model wrote no text for ${alias} to search with (${prompt.name})`)
  // The question is in the row already: equal records are stored once.
  onRead?.([
    {
      artefact: 'query',
      input: 'question',
      code: QUERY_CODE,
      model: models.writer('light_gen'),
      prompt: recordedPrompt(prompt),
    },
  ])
  return text
}
