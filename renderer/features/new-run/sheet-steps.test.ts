import { describe, expect, it } from 'vitest'
import { openingStep, sheetKey } from './sheet-steps.ts'

describe('openingStep', () => {
  it('is the first step that a link leaves to choose', () => {
    expect(openingStep({})).toBe(1)
    expect(openingStep({ models: ['bm25'] })).toBe(1)
    expect(openingStep({ datasets: ['smoke'] })).toBe(2)
    expect(openingStep({ datasets: ['smoke'], models: ['bm25'] })).toBe(3)
    expect(openingStep({ modelSet: 'mine' })).toBe(3)
    expect(openingStep({ name: 'ladder-r2' })).toBe(3)
  })

  it('is the step that the link names before all else', () => {
    expect(openingStep({ step: 1, datasets: ['smoke'], models: ['bm25'] })).toBe(1)
  })
})

describe('sheetKey', () => {
  const key = (name: string, held: Partial<KeyboardEvent> = {}) => ({
    key: name,
    ctrlKey: false,
    metaKey: false,
    repeat: false,
    ...held,
  })
  const plain = { usesEnter: false, isOpen: false }

  it('goes on with Enter, runs with Ctrl or Command and Enter, closes with Escape', () => {
    expect(sheetKey(key('Enter'), plain)).toBe('next')
    expect(sheetKey(key('Enter', { ctrlKey: true }), plain)).toBe('run')
    expect(sheetKey(key('Enter', { metaKey: true }), { usesEnter: true, isOpen: false })).toBe('run')
    expect(sheetKey(key('Escape'), plain)).toBe('close')
  })

  it('leaves Enter to a button, Escape to an open list, and ignores a held key', () => {
    expect(sheetKey(key('Enter'), { usesEnter: true, isOpen: false })).toBeNull()
    expect(sheetKey(key('Escape'), { usesEnter: true, isOpen: true })).toBeNull()
    expect(sheetKey(key('Enter', { ctrlKey: true, repeat: true }), plain)).toBeNull()
  })
})
