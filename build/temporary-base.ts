import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Names a temporary folder on a disk, for tests that kill a process in the middle of its writes: in memory there is hardly a middle. */
export const DISK_VARIABLE = 'RAG_LADDER_TEST_DISK'

/** Linux keeps what is written there in memory. */
const SHARED_MEMORY = '/dev/shm'
/** Type of such a file system, as `statfs` reports it. */
const TMPFS = 0x0102_1994
const GIB = 1024 ** 3
/** The tests were seen to keep 0.7 GB at a time; their processes need memory too. */
const LEAST_ROOM = 4 * GIB
const LEAST_MEMORY = 8 * GIB

/** False where programs must not be started from a folder, as in many containers: some tests write a program and start it. */
function startsPrograms(place: string): boolean {
  const folder = mkdtempSync(join(place, 'rag-ladder-try-'))
  try {
    const program = join(folder, 'program')
    writeFileSync(program, '#!/bin/sh\nexit 0\n', { mode: 0o755 })
    return spawnSync(program).status === 0
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/**
 * The folder in which tests keep what they write: one in memory where that has room, else the system's temporary folder. Evidence, databases and
 * journals wait until each write is on the disk, milliseconds a time, which left a fifth of the processors idle. These tests lose nothing by it: they kill
 * processes, not the machine, and a killed process leaves the same bytes in both. Where `TMPDIR` is set, it is used.
 */
export function temporaryBase(
  place = SHARED_MEMORY,
  memory = process.availableMemory(),
  env: Readonly<Record<string, string | undefined>> = process.env,
): string {
  if (env['TMPDIR'] !== undefined && env['TMPDIR'] !== '') return tmpdir()
  try {
    const { type, bavail, bsize } = statfsSync(place)
    const hasRoom = bavail * bsize >= LEAST_ROOM && memory >= LEAST_MEMORY
    return type === TMPFS && hasRoom && startsPrograms(place) ? place : tmpdir()
  } catch {
    return tmpdir()
  }
}
