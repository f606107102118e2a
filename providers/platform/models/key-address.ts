import type { ModelChoice } from '../../../contract/index.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Comma-separated origins that the person has allowed to get keys; the project cannot set it. */
export const TRUSTED_VARIABLE = 'RAG_LADDER_TRUSTED_ADDRESSES'

/** Where well-known keys belong. */
const HOMES: Readonly<Record<string, string>> = {
  ANTHROPIC_API_KEY: 'https://api.anthropic.com',
  CEREBRAS_API_KEY: 'https://api.cerebras.ai',
  COHERE_API_KEY: 'https://api.cohere.com',
  DEEPSEEK_API_KEY: 'https://api.deepseek.com',
  FIREWORKS_API_KEY: 'https://api.fireworks.ai',
  GEMINI_API_KEY: 'https://generativelanguage.googleapis.com',
  GROQ_API_KEY: 'https://api.groq.com',
  HF_TOKEN: 'https://router.huggingface.co',
  JINA_API_KEY: 'https://api.jina.ai',
  MISTRAL_API_KEY: 'https://api.mistral.ai',
  NVIDIA_API_KEY: 'https://integrate.api.nvidia.com',
  OPENAI_API_KEY: 'https://api.openai.com',
  OPENROUTER_API_KEY: 'https://openrouter.ai',
  TOGETHER_API_KEY: 'https://api.together.xyz',
  VOYAGE_API_KEY: 'https://api.voyageai.com',
  XAI_API_KEY: 'https://api.x.ai',
}

const KEY_NAME = /_API_(?:KEY|TOKEN)$|^HF_TOKEN$|^RAG_LADDER_(?!ENGINE_)/
const LEADING_PLACEHOLDER = /^\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-[^}]*)?\}(?=\/|$)/

/**
 * Why a model's address or key may not be used as a project asks; null when it may. A project may come from anybody: a variable of the
 * environment fills the beginning of an address only, where it is the address itself and reaches nobody else; a key goes to its own service, to
 * an address that the environment gives, or to one that the person has allowed.
 */
export function keyAddressProblem(
  declared: Extract<ModelChoice, { base_url: string }>,
  address: string,
  env: Env,
): string | null {
  const leading = LEADING_PLACEHOLDER.exec(declared.base_url)
  if (declared.base_url.slice(leading?.[0].length ?? 0).includes('${'))
    return 'base_url: a variable may only be the beginning of the address, as in ${OLLAMA_URL:-http://127.0.0.1:11434}/v1'
  const { api_key_env: name } = declared
  if (name === null) return null
  if (!KEY_NAME.test(name))
    return `api_key_env: ${name} is not named like the key of a model service. Use a name that ends in _API_KEY or begins with RAG_LADDER_`
  // An address that is none is another problem.
  if (!URL.canParse(address)) return null
  const { origin, protocol } = new URL(address)
  if (!/^https?:$/.test(protocol)) return null
  const isFromEnvironment = leading !== null && (env[leading[1]!] ?? '') !== ''
  const trusted = (env[TRUSTED_VARIABLE] ?? '').split(',')
  if (isFromEnvironment || HOMES[name] === origin || trusted.includes(origin)) return null
  return `${name} is not sent to ${origin}, because the project names this address and you have not allowed it. If you trust it with the key: rag-ladder trust ${origin}`
}
