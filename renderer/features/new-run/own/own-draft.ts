import type { OwnApproachDraft } from '../../../../contract/control/own-approaches.ts'
import { OWN_PRESETS, type PresetName } from '../../../../contract/manifests/own-presets.ts'

export type OwnKind = 'chat' | 'retriever' | 'command'

/** Holds the typed form of an own approach. */
export interface OwnForm {
  name: string
  kind: OwnKind
  preset: PresetName | null
  url: string
  /** `name: value`; empty for none. */
  header: string
  /** JSON of the request; empty for the one of the preset. */
  body: string
  /** Values of what a preset leaves open, by name. */
  settings: Readonly<Record<string, string>>
  answer: string
  list: string
  text: string
  document: string
  /** One argument per line. */
  command: string
  ingests: boolean
  reportsPassages: boolean
}

export const EMPTY_FORM: OwnForm = {
  name: '',
  kind: 'chat',
  preset: null,
  url: '',
  header: '',
  body: '{"question": "{{question}}"}',
  settings: {},
  answer: '',
  list: '',
  text: '',
  document: '',
  command: '',
  ingests: false,
  reportsPassages: true,
}

/** Presets of a kind, by name. */
export const presetsOf = (kind: OwnKind): PresetName[] =>
  (Object.keys(OWN_PRESETS) as PresetName[]).filter((name) => OWN_PRESETS[name].kind === kind)

const FILLED_IN = ['question', 'uuid', 'budget', 'k']

/** Names of the settings that a preset leaves to the person, such as `chat_id`. */
export function openSettings(preset: PresetName | null): string[] {
  if (preset === null) return []
  const { path, body } = OWN_PRESETS[preset]
  const named = [...JSON.stringify([path, body]).matchAll(/\{\{([A-Za-z0-9_.-]+)\}\}/g)].map(([, name]) => name!)
  return [...new Set(named)].filter((name) => !FILLED_IN.includes(name))
}

/** A field of the form that is not what its file needs; the message is a sentence for the person. */
export class FormProblem extends Error {
  readonly field: keyof OwnForm

  constructor(field: keyof OwnForm, message: string) {
    super(message)
    this.field = field
  }
}

function jsonObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch {
    // Reported below, as any other text that is no object.
  }
  throw new FormProblem('body', 'expected a JSON object such as {"question": "{{question}}"}')
}

function headersOf(header: string): Record<string, string> {
  if (header.trim() === '') return {}
  const [, name, value] = /^([^:]+):\s*(.+)$/.exec(header.trim()) ?? []
  if (name === undefined || value === undefined)
    throw new FormProblem('header', 'expected NAME: VALUE, such as authorization: Bearer ${MY_API_KEY}')
  return { [name]: value }
}

const lines = (text: string): string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')

/** The fields of the approach's file. Throws `FormProblem`. */
export function approachOf(form: OwnForm): OwnApproachDraft {
  if (form.kind === 'command') {
    const command = lines(form.command)
    if (command.length === 0) throw new FormProblem('command', 'expected the program, then one argument per line')
    return { kind: 'command', command, ingest: form.ingests, contexts: form.reportsPassages }
  }
  const { kind, preset, url, answer, list, text, document } = form
  const settings = Object.fromEntries(
    openSettings(preset)
      .map((name) => [name, form.settings[name] ?? ''])
      .filter(([, value]) => value !== ''),
  ) as Record<string, string>
  const reply = {
    ...(answer === '' || kind === 'retriever' ? {} : { answer }),
    ...(list === '' ? {} : { contexts: { list, text, ...(document === '' ? {} : { document, title: document }) } }),
  }
  return {
    kind,
    ...(preset === null ? {} : { preset }),
    url: url.trim(),
    headers: headersOf(form.header),
    settings,
    body: (form.body.trim() === '' ? {} : jsonObject(form.body)) as OwnApproachDraft[string],
    // An empty mapping would replace the one of a preset.
    ...(Object.keys(reply).length === 0 ? {} : { reply }),
  }
}

/** A path that was clicked as the text of a passage: the list that holds the passages, and the text within one. */
export function passagePath(path: string): { list: string; text: string } {
  const at = path.lastIndexOf('[]')
  if (at < 0) return { list: path, text: '' }
  return { list: path.slice(0, at + 2), text: path.slice(at + 2).replace(/^\./, '') }
}

/** A path that was clicked as the name of a passage's document, within its list; null where it lies outside. */
export function pathWithin(list: string, path: string): string | null {
  return list !== '' && path.startsWith(`${list}.`) ? path.slice(list.length + 1) : null
}

/** A form that can be tested before its paths are known: a usual path stands in, and the reply shows the right one. */
export const testable = (form: OwnForm): OwnForm =>
  form.preset !== null || form.kind === 'command'
    ? form
    : {
        ...form,
        answer: form.answer === '' ? 'answer' : form.answer,
        ...(form.kind === 'retriever' && form.list === '' ? { list: 'passages[]', text: 'text' } : {}),
      }
