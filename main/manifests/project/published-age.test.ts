import { describe, expect, it } from 'vitest'
import { PROJECT_ROOT } from '../../../tests/helpers/project-root.ts'
import { loadExperiment } from '../experiment.ts'
import { ageWords, publishedAge } from './published-age.ts'

const revision = '19d2e2c30ecfe69c14e20814d005ff7ea85261bd'

describe('ageWords', () => {
  it('names the revision and counts what has changed, and is null where nothing has or the age is unknown', () => {
    expect(ageWords({ revision, changed: ['main/runner/cells/call-approach.ts'] })).toBe(
      'Published with revision 19d2e2c30ecf, which is older than this version: 1 file that makes answers or scores has changed since. A run of this version can give other figures.',
    )
    expect(ageWords({ revision, changed: [] })).toBeNull()
    expect(ageWords({ revision, changed: null })).toBeNull()
  })
})

describe('publishedAge', () => {
  const of = async (commit: string | null) => {
    const experiment = await loadExperiment(PROJECT_ROOT)
    const runtime = { repository: { revision: commit, dirty: false, patch_sha256: null } }
    return publishedAge(experiment, experiment.datasets[0]!, { reproducibility: { runtime } } as never)
  }

  it('does not know the age of a commit that git does not have, and has none without a commit', async () => {
    expect(await of('0'.repeat(40))).toEqual({ revision: '0'.repeat(40), changed: null })
    expect(await of(null)).toBeNull()
  })

  it('counts no page, no command and no test as changed', async () => {
    const { changed } = (await of(revision))!
    // A shallow clone does not have the commit.
    for (const file of changed ?? [])
      expect(file).toMatch(/^(contract|main\/(evaluation|judge|runner|statistics)|providers|manifests|corpus)\//)
  })
})
