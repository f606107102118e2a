import { describe, expect, it } from 'vitest'
import { pageAt, partOfRun, placeOf, runPath } from './pages.ts'

describe('addresses of the panel', () => {
  it('a part of a run has the address of the run before it, whatever characters its name has', () => {
    expect(runPath('ladder 1/2', 'judges')).toBe('/runs/ladder%201%2F2/judges')
    expect(partOfRun('/runs/ladder%201%2F2/judges')).toBe('judges')
    // A router may have decoded the name.
    expect(partOfRun('/runs/ladder 1/2/judges')).toBe('judges')
  })

  it.each([
    ['/runs', null, 'Runs', 'reading-a-result'],
    ['/runs/a/judges', 'judges', 'Judges', 'judges'],
    ['/runs/a/cell', 'cell', 'Answer', 'reading-a-result'],
    ['/runs/compare', null, 'Compare', 'reading-a-result'],
    ['/tools/audio', null, 'Audio', 'speech'],
    ['/models', null, 'Models', 'own-models'],
  ])('%s has a name and a page of the guide', (path, part, label, guide) => {
    expect(partOfRun(path)).toBe(part)
    expect(pageAt(path)).toMatchObject({ label, guide })
  })

  it.each([
    ['/', '/'],
    ['/runs', '/runs'],
    ['/runs/a/matrix', '/runs'],
    ['/launch', '/runs'],
    ['/tools/audio', '/tools'],
    ['/runsheet', null],
    ['/settings', null],
  ])('%s belongs to the place %s', (path, place) => {
    expect(placeOf(path)).toBe(place)
  })

  it('an unknown address has none', () => {
    expect(pageAt('/nonsense')).toBeNull()
  })
})
