/** Words in model names that identify who trained the model; the first one in a name decides. */
const FAMILY_WORDS: Readonly<Record<string, string>> = {
  gpt: 'openai',
  chatgpt: 'openai',
  o1: 'openai',
  o3: 'openai',
  o4: 'openai',
  claude: 'anthropic',
  gemini: 'google',
  gemma: 'google',
  palm: 'google',
  llama: 'meta',
  codellama: 'meta',
  qwen: 'alibaba',
  qwq: 'alibaba',
  qvq: 'alibaba',
  mistral: 'mistral',
  mixtral: 'mistral',
  ministral: 'mistral',
  magistral: 'mistral',
  codestral: 'mistral',
  devstral: 'mistral',
  deepseek: 'deepseek',
  phi: 'microsoft',
  command: 'cohere',
  aya: 'cohere',
  nemotron: 'nvidia',
  granite: 'ibm',
  grok: 'xai',
  glm: 'zhipu',
  chatglm: 'zhipu',
  yi: 'yi',
  kimi: 'moonshot',
  olmo: 'ai2',
  tulu: 'ai2',
  smollm: 'huggingface',
  falcon: 'tii',
  nova: 'amazon',
  jamba: 'ai21',
  minimax: 'minimax',
  ernie: 'baidu',
  hunyuan: 'tencent',
}

/** `qwen2.5` → `qwen`; `o3` stays, because it is listed as it is. */
const wordOf = (part: string): string => (Object.hasOwn(FAMILY_WORDS, part) ? part : part.replace(/\d.*$/, ''))

/**
 * The family of a model by its name. `declared` wins; then the first known word after a path such as `openrouter/`; then the first word of
 * the name, so that `acme-large` and `acme-small` are one family. An opaque alias (`judge-1`) has to be declared.
 */
export function modelFamily(name: string, declared: Readonly<Record<string, string>> = {}): string {
  if (Object.hasOwn(declared, name)) return declared[name]!
  const builtin = /^builtin-[a-z]+/.exec(name)
  if (builtin !== null) return builtin[0]
  const words = name
    .slice(name.lastIndexOf('/') + 1)
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .map(wordOf)
    .filter((word) => word !== '')
  const known = words.find((word) => Object.hasOwn(FAMILY_WORDS, word))
  return known === undefined ? (words[0] ?? name.toLowerCase()) : FAMILY_WORDS[known]!
}
