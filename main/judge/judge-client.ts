import type { JudgeErrorCode } from '../../contract/evidence/judgments.ts'
import type { ModelUsage } from '../../contract/evidence/model-usage.ts'
import type { JudgeTask, LetterVerdict } from '../../core/judging/judge-task.ts'

export type JudgeReply =
  | { ok: true; verdict: LetterVerdict; attempts: number; usage?: ModelUsage }
  | { ok: false; code: JudgeErrorCode; message: string; attempts: number; usage?: ModelUsage }

/** A judge. `identity` names everything besides the task that its verdict depends on: a stored verdict of another identity is not reused. */
export interface JudgeClient {
  readonly name: string
  readonly family: string
  readonly kind: 'chat' | 'builtin'
  readonly identity: Readonly<Record<string, unknown>>
  /** Never throws for what a judge can do wrong; rejects only when `signal` is raised. */
  judge(task: JudgeTask, signal?: AbortSignal): Promise<JudgeReply>
  close(): Promise<void>
}
