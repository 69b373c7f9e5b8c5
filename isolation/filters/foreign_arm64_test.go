package filters_test

import "errors"

func childForeign([]string) error { return errors.New("arm64 has no int 0x80") }
