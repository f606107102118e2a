import { describe, expect, it, onTestFinished } from 'vitest'
import { postgresMissing, usePostgres, whyNoPostgres } from '../helpers/postgres-server.ts'
import { artifactsOf, runProcess, runWorkerKills, workerProject } from './worker-kills.ts'

// `npm run bench -- --only workers` makes the long version: 2,000 cells and 40 kills.

describe.skipIf(postgresMissing !== null)(`workers on one database${whyNoPostgres}`, () => {
  const server = usePostgres()

  it('make every cell once while 6 of them and 2 processes of the server are killed, and the artifacts are those of one host', async () => {
    const project = await workerProject(200, 20)
    onTestFinished(() => project.close())
    await runProcess('matrix', { project, database: null, results: 'own-results', concurrency: 8 })
    const database = await server().freshDatabase()
    const report = await runWorkerKills(project, database, {
      workers: 3,
      kills: 6,
      serverKills: 2,
      concurrency: 2,
      seed: 18,
    })
    expect(report.problems).toEqual([])
    expect(report).toMatchObject({ kills: 6, serverKills: 2, rows: 200 })
    expect(await artifactsOf(project, 'shared-results')).toEqual(await artifactsOf(project, 'own-results'))
    // Some twenty starts of the program: on a busy machine they take their time.
  }, 400_000)
})
