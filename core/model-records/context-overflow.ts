// A service refuses a prompt that does not fit into the context window of its model.

/** Sentences that name the window, or the prompt: OpenAI, DeepSeek, xAI, Anthropic, vLLM of both generations, SGLang, llama.cpp, LM Studio, TGI. */
const WINDOW = [
  /context length is (?:only )?(\d+)/i,
  /prompt length is (\d+)/i,
  /context size \((\d+)/i,
  /context length \((\d+)/i,
  /n_ctx: (?:b )?(\d+)/i,
  /> (\d+) maximum/i,
  /must be <= (\d+)/i,
]
const PROMPT = [
  /\((\d+) in the messages/i,
  /(?:resulted in|requested|contains|passed) (\d+)/i,
  /(?:request|input) \((\d+)/i,
  /too long: (\d+)/i,
]

const firstNumber = (patterns: readonly RegExp[], text: string): number | null => {
  const found = patterns.map((pattern) => pattern.exec(text)?.[1]).find((digits) => digits !== undefined)
  return found === undefined ? null : Number(found)
}

/** Returns what the refusal of a prompt that is too long says in tokens; null where it does not. */
export function overflowIn(text: string): { window: number | null; prompt: number | null } {
  const plain = text.replace(/(\d),(?=\d{3}\b)/g, '$1')
  return { window: firstNumber(WINDOW, plain), prompt: firstNumber(PROMPT, plain) }
}
