import { AGENT_PROMPT, ANSWER_PROMPT } from '../contract/prompts.ts'

/** The blocks in which prompts hand over their data, also without an end, as where a limit cut the answer. */
const BLOCK =
  /<passage>\s*<(?:number|title|text)>[\s\S]*?(?:<\/passage>|$)|<question>[\s\S]*?(?:<\/question>|$)|<\/?(?:passage|number|title|text)>/g
const ANNOUNCEMENT = /^(?:the )?(?:answer|question|passages?|text) (?:is|are):$/i
const RULES = [ANSWER_PROMPT, AGENT_PROMPT].flatMap(({ instructions }) => instructions)
/** Fewer words of a rule can be an answer. */
const LEAST_WORDS = 4

const isOfRule = (line: string): boolean =>
  line.split(/\s+/u).length >= LEAST_WORDS && RULES.some((rule) => rule.includes(line))

/** Returns true when nothing is left of an answer without blocks, question and rules of its prompt. A sentence out of a passage is an answer. */
export const repeatsPrompt = (answer: string, question: string): boolean =>
  answer
    .replaceAll(BLOCK, '\n')
    .split('\n')
    .map((line) => line.trim())
    .every((line) => line === '' || line === question.trim() || ANNOUNCEMENT.test(line) || isOfRule(line))
