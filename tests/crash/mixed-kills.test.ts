import { describe, expect, it, onTestFinished } from 'vitest'
import { postgresMissing, usePostgres, whyNoPostgres } from '../helpers/postgres-server.ts'
import { Gate, mixedProject, runMixedKills } from './mixed-kills.ts'

// `npm run bench -- --only mixed-kills --kills 60` makes the long version.

describe.skipIf(postgresMissing !== null)(`one run of runners, workers and the engine${whyNoPostgres}`, () => {
  const server = usePostgres()

  it('loses no acknowledged row and makes none twice while a process of each kind and one of the server is killed', async () => {
    const gate = new Gate()
    const project = await mixedProject(80, gate)
    onTestFinished(() => project.close())
    const report = await runMixedKills(project, { database: await server().freshDatabase(), gate, kills: 4, seed: 3 })
    expect(report.problems).toEqual([])
    expect(report.rows).toBe(80)
    expect(report.kills).toEqual({ runner: 1, worker: 1, engine: 1, postgres: 1 })
    // Some twelve starts of the program: on a busy machine they take their time.
  }, 400_000)
})
