// Forms of keys that their services document, so that a key in a text is recognized though this computer never held it: a service may repeat one of its
// own. A form is listed only where its beginning and length together occur in no ordinary text.

const FORMS: readonly { service: string; form: string }[] = [
  {
    service: 'OpenAI, Anthropic or OpenRouter',
    form: 'sk-(?:proj-|ant-[a-z0-9]+-|or-v1-|svcacct-)?[A-Za-z0-9_-]{32,}',
  },
  { service: 'Google', form: 'AIza[A-Za-z0-9_-]{35}' },
  { service: 'AWS', form: '(?:AKIA|ASIA)[0-9A-Z]{16}' },
  { service: 'GitHub', form: '(?:gh[oprsu]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{60,})' },
  { service: 'GitLab', form: 'glpat-[A-Za-z0-9_-]{20,}' },
  { service: 'Slack', form: 'xox[abeoprs]-[A-Za-z0-9-]{20,}' },
  { service: 'Hugging Face', form: 'hf_[A-Za-z0-9]{34,}' },
  { service: 'Groq', form: 'gsk_[A-Za-z0-9]{48,}' },
  { service: 'xAI', form: 'xai-[A-Za-z0-9]{60,}' },
  { service: 'Perplexity', form: 'pplx-[A-Za-z0-9]{40,}' },
  { service: 'Replicate', form: 'r8_[A-Za-z0-9]{37}' },
  { service: 'npm', form: 'npm_[A-Za-z0-9]{36}' },
  { service: 'Stripe', form: '[rs]k_live_[A-Za-z0-9]{24,}' },
]

/** A letter or digit before or after it makes a text another one; `\\n` of JSON before it does not. */
const PATTERN = new RegExp(
  `(?:(?<![A-Za-z0-9_-])|(?<=\\\\[nrt]))(?:${FORMS.map(({ form }, at) => `(?<f${at}>${form})`).join('|')})(?![A-Za-z0-9])`,
)
const PRIVATE_KEY = /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/

/** Whose key a text holds, by its form, such as "AWS"; null where it holds none. The text may be a line of JSON. */
export function serviceOfKeyIn(text: string): string | null {
  if (PRIVATE_KEY.test(text)) return 'private'
  const groups = PATTERN.exec(text)?.groups
  if (groups === undefined) return null
  return FORMS.find((_, at) => groups[`f${at}`] !== undefined)!.service
}
