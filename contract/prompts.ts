// The prompts that a flavor can replace, and the rule for a text that replaces one. Those that are read when documents are ingested, by the router or by
// evaluators are in providers/platform/models/prompts, one file each.

/** The instructions of one task, as a model reads them. The data follow in blocks, in a message of their own. */
export interface Prompt {
  name: string
  /** Raised whenever the wording changes. */
  version: number
  /** Names what the wording follows. */
  source: string
  instructions: readonly string[]
}

/** Holds what a model writes first when the passages hold no answer; `{no_answer}` stands for it in a prompt. */
export const NO_ANSWER = 'The passages do not answer this question.'

export const ANSWER_PROMPT: Prompt = {
  name: 'answer',
  version: 2,
  source: 'this project; grounded answers with numbered citations as in ALCE (arXiv 2305.14627)',
  instructions: [
    'Answer the question in <question> from the passages in <passage> blocks and from nothing else.',
    '- Join facts from several passages where the question needs it; a fact in one passage may name the subject of another.',
    '- Be brief: one to four sentences of plain text, the answer first. No headings, no lists.',
    '- End each sentence with the numbers of the passages that state it, as in [2] or [1][3]. Use no number that is not given.',
    '- Keep names, numbers, dates and codes exactly as the passages write them.',
    '- Add nothing that the passages do not say. Where they contradict each other, say so.',
    '- When the passages do not answer the question, reply with this sentence: {no_answer}',
    '  You may add one sentence on what is missing. Do not guess.',
  ],
}

export const AGENT_PROMPT: Prompt = {
  name: 'agent',
  version: 2,
  source: 'this project; search and finish as in ReAct (arXiv 2210.03629), by tool calls instead of written actions',
  instructions: [
    'Answer the question in <question> from what the tools find and from nothing else. Call a tool whenever a fact is missing.',
    '- Start with what the question names. When a passage names the thing or person that the next fact is about, search for that name.',
    '- Search for one fact at a time, in few words. Do not repeat a search; change its words or its tool.',
    '- Stop searching as soon as the facts that the question asks for are in the passages, then answer in plain text.',
    '- Be brief: one to four sentences, the answer first. No headings, no lists.',
    '- End each sentence of the answer with the numbers of the passages that state it, as in [2] or [1][3].',
    '- Keep names, numbers, dates and codes exactly as the passages write them. Add nothing that they do not say.',
    '- When nothing that was found answers the question, reply with this sentence: {no_answer}',
  ],
}

/** Prompts by name, with the blocks of data that each must mention. */
export const EDITABLE_PROMPTS = {
  answer: { prompt: ANSWER_PROMPT, parameter: 'answer_prompt', blocks: ['passage', 'question'] },
  agent: { prompt: AGENT_PROMPT, parameter: 'agent_prompt', blocks: ['question'] },
} as const satisfies Record<string, { prompt: Prompt; parameter: string; blocks: readonly string[] }>
export type EditablePrompt = keyof typeof EDITABLE_PROMPTS

/** The instructions as a model reads them. */
export const filledPrompt = (text: string): string => text.replaceAll('{no_answer}', NO_ANSWER)

const PLACEHOLDER = '{no_answer}'

/** Names what is wrong with a text that is to replace a prompt, with its line where there is one; null for a usable one. */
export function promptProblem(name: EditablePrompt, text: string): string | null {
  const { blocks } = EDITABLE_PROMPTS[name]
  const known = [...blocks.map((block) => `<${block}>`), PLACEHOLDER]
  for (const [at, line] of text.split('\n').entries())
    for (const [written] of line.matchAll(/<[a-z][a-z_-]*>|\{[a-z][a-z_]*\}/g))
      if (!known.includes(written)) return `line ${at + 1}: ${written} is unknown, expected one of ${known.join(', ')}`
  const missing = known.filter((each) => !text.includes(each))
  if (missing.length === 0) return null
  return `${missing.join(' and ')} ${missing.length === 1 ? 'is' : 'are'} missing: the data come in blocks of these names, and ${PLACEHOLDER} stands for the sentence that marks a refusal`
}
