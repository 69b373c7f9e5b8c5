package policy

// Category is a word of the published list that every refusal carries.
type Category string

// The categories that Resolve, ParseFlags and Load use.
const (
	InvalidWorkspace Category = "invalid_workspace"
	InvalidPolicy    Category = "invalid_policy"
	InvalidStream    Category = "invalid_stream" // descriptor 0, 1 or 2
	InternalError    Category = "internal_error"

	UnknownWorkspacePolicy Category = "unknown_workspace_policy"
)

// RefusedError is a launch that does not take place: what failed, why, and
// what to do next.
type RefusedError struct {
	Category Category
	Message  string // lower case, without a final period
	Hint     string // what to do next; may be empty
}

// Error joins message and hint.
func (e *RefusedError) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + "; " + e.Hint
}

func refuse(c Category, message, hint string) error {
	return &RefusedError{Category: c, Message: message, Hint: hint}
}
