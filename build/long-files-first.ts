import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * Test files that take half a minute and more. Without durations of an earlier run, as in a clean clone, larger files start first: a short file that
 * waits long for processes came last, and one worker ran it while the others had nothing left.
 */
const LONG_FILES = ['tests/integration/soak.test.ts', 'tests/integration/pocketsphinx-hearing.test.ts']

/** Starts the listed files before all others of their project. */
export class LongFilesFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification): boolean => LONG_FILES.some((file) => moduleId.endsWith(file))
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}
