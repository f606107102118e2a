// A file of an own approach is repeated in every row, and rows are published: a key in it would be too. Headers take keys from the environment.
import { isHttpApproach, variablesIn, type OwnApproach } from '../../contract/manifests/own-approaches.ts'
import { isRecord } from '../json.ts'
import { serviceOfKeyIn } from '../key-forms.ts'

/** Names of headers, parameters and fields whose value opens something. */
const KEY_NAME =
  /(?:^|[_-])(?:authorization|cookie|(?:api|access|secret|private)?[_-]?key|token|secret|password|passwd|sig|signature)$/i

const WHY = 'a key does not belong in this file, which every row repeats'
const HEADER = 'in a header write ${MY_API_KEY} and set that in the environment'

/** Returns where a file has a key as text, as `field: what to do`. */
export function literalKeys(approach: OwnApproach): string[] {
  const settings = keysIn(approach.settings, 'settings')
  if (!isHttpApproach(approach))
    return approach.command.some((part) => serviceOfKeyIn(part) !== null)
      ? [...settings, `command: ${WHY}: name its variable in env, and let the program read that`]
      : settings
  const { headers, url, body } = approach
  const inHeaders = Object.entries(headers)
    .filter(([name, text]) => isKey(name, text) && variablesIn(text).length === 0)
    .map(([name]) => `headers.${name}: ${WHY}: write \${MY_API_KEY} in its place and set that in the environment`)
  const inAddress = [...new URL(url).searchParams]
    .filter(([name, text]) => isKey(name, text))
    .map(([name]) => `url: its parameter ${name}: ${WHY}: ${HEADER}`)
  return [...settings, ...inHeaders, ...inAddress, ...keysIn(body, 'body')]
}

/** What `{{name}}` fills in comes from the settings. */
const isKey = (name: string, text: string): boolean =>
  serviceOfKeyIn(text) !== null || (KEY_NAME.test(name) && text.trim() !== '' && !/^\{\{[^}]*\}\}$/.test(text))

function keysIn(value: unknown, path: string): string[] {
  if (Array.isArray(value)) return value.flatMap((each) => keysIn(each, `${path}[]`))
  if (isRecord(value)) return Object.entries(value).flatMap(([name, each]) => keysIn(each, `${path}.${name}`))
  if (typeof value !== 'string' || !isKey(path.slice(path.lastIndexOf('.') + 1), value)) return []
  return [`${path}: ${WHY}: ${HEADER}, or write a program that reads it`]
}
