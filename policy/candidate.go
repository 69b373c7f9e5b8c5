package policy

// WorkspaceCandidate is the directory that Resolve will judge as the workspace,
// absolute, as it was spelled. Its owner decides whom root hands over to.
func WorkspaceCandidate(p Policy, c Caller) string { return workspacePath(&p, c.Cwd, c.Home) }
