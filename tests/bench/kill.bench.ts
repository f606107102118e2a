import { runKillRounds, type KillReport } from '../crash/kill-rounds.ts'

export interface KillFigures {
  /** Two runners, killed together again and again. */
  pairs: KillReport
  /** One to three runners per round, until that many kills are reached (P10: 1,000). */
  mixed: KillReport
}

/** Rounds of SIGKILL at random moments: how many rows were lost and cells called twice (both must be none). */
export async function benchKills(rounds = 200, mixedKills = 1000, seed = 1): Promise<KillFigures> {
  return {
    pairs: await runKillRounds({ rounds, runners: 2, seed }),
    mixed: await runKillRounds({ rounds: Infinity, runners: null, seed: seed + 1, maxKills: mixedKills }),
  }
}
