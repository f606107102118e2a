import { describe, expect, it } from 'vitest'
import {
  approachOf,
  EMPTY_FORM,
  FormProblem,
  openSettings,
  passagePath,
  pathWithin,
  presetsOf,
  testable,
} from './own-draft.ts'
import { OwnApproach, ownApproachProblems } from '../../../../contract/manifests/own-approaches.ts'

const chat = { ...EMPTY_FORM, url: 'http://127.0.0.1:9/ask', answer: 'answer' }

describe('approachOf', () => {
  it('makes a file that can be used of each kind', () => {
    const forms = [
      { ...chat, list: 'sources[]', text: 'body', document: 'file', header: 'x-key: ${MY_KEY}' },
      { ...chat, kind: 'retriever' as const, list: 'hits[]', text: 'text' },
      { ...EMPTY_FORM, kind: 'command' as const, command: 'python3\napproaches/mine.py\n', ingests: true },
      {
        ...EMPTY_FORM,
        preset: 'ragflow' as const,
        body: '',
        url: 'http://lab',
        settings: { chat_id: '7', other: 'x' },
      },
    ]
    const files = forms.map((form) => OwnApproach.parse({ version: 1, ...approachOf(form) }))
    expect(files.flatMap(ownApproachProblems)).toEqual([])
    expect(files).toMatchObject([
      { kind: 'chat', reply: { answer: 'answer', contexts: { list: 'sources[]', text: 'body', document: 'file' } } },
      { kind: 'retriever', reply: { contexts: { list: 'hits[]', text: 'text' } } },
      { kind: 'command', command: ['python3', 'approaches/mine.py'], ingest: true },
      { kind: 'chat', preset: 'ragflow', settings: { chat_id: '7' } },
    ])
  })

  it('names the field that is wrong', () => {
    const fieldOf = (form: typeof EMPTY_FORM): string | null => {
      try {
        approachOf(form)
        return null
      } catch (error) {
        return (error as FormProblem).field
      }
    }
    expect(fieldOf({ ...chat, body: '[1]' })).toBe('body')
    expect(fieldOf({ ...chat, body: '{' })).toBe('body')
    expect(fieldOf({ ...chat, header: 'no colon' })).toBe('header')
    expect(fieldOf({ ...EMPTY_FORM, kind: 'command', command: '  \n' })).toBe('command')
    expect(fieldOf(chat)).toBeNull()
  })
})

describe('paths that are clicked in a reply', () => {
  it('of a passage become its list and the text within, and of its document the path within that list', () => {
    expect(passagePath('data.chunks[].content')).toEqual({ list: 'data.chunks[]', text: 'content' })
    expect(passagePath('references[].content[]')).toEqual({ list: 'references[].content[]', text: '' })
    expect(passagePath('context')).toEqual({ list: 'context', text: '' })
    expect(pathWithin('data.chunks[]', 'data.chunks[].meta.file')).toBe('meta.file')
    expect(pathWithin('data.chunks[]', 'other[].file')).toBeNull()
    expect(pathWithin('', 'file')).toBeNull()
  })
})

describe('presets', () => {
  it('are offered by their kind, with the settings that they leave open', () => {
    expect(presetsOf('chat')).toContain('lightrag')
    expect(presetsOf('retriever')).not.toContain('lightrag')
    expect(openSettings('ragflow')).toEqual(['chat_id'])
    expect(openSettings('lightrag')).toEqual([])
  })
})

describe('testable', () => {
  it('lets a service be asked before its paths are known, and changes no path that was given', () => {
    const problems = (form: typeof EMPTY_FORM) =>
      ownApproachProblems(OwnApproach.parse({ version: 1, ...approachOf(testable(form)) }))
    expect(problems({ ...chat, answer: '' })).toEqual([])
    expect(problems({ ...chat, kind: 'retriever' })).toEqual([])
    expect(testable({ ...chat, answer: 'mine' }).answer).toBe('mine')
    expect(testable({ ...chat, answer: '', preset: 'lightrag' }).answer).toBe('')
  })
})
